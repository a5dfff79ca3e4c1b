# hadal in a small image: `docker build -t hadal .`, with a browser: `docker build --build-arg CHROMIUM=1 .`
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo build --release --locked --bin hadal && strip target/release/hadal

FROM debian:bookworm-slim
ARG CHROMIUM=0
RUN apt-get update \
    && if [ "$CHROMIUM" = 1 ]; then browser=chromium; else browser=; fi \
    && apt-get install -y --no-install-recommends ca-certificates $browser \
    # A container forbids the namespaces that the sandbox of Chromium needs. The container takes its place.
    && if [ "$CHROMIUM" = 1 ]; then \
        echo 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-sandbox"' > /etc/chromium.d/container; fi \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home hadal \
    && install -d -o hadal -g hadal /data
COPY --from=build /src/target/release/hadal /usr/local/bin/hadal
USER hadal
WORKDIR /data
VOLUME /data
EXPOSE 7878
ENTRYPOINT ["hadal"]
CMD ["--help"]
