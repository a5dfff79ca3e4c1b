//! An open connection and what the client must know about it.

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpStream;

/// A TCP connection to a host, or to a proxy on the way to it.
pub(super) struct Line {
    stream: TokioIo<TcpStream>,
    peer: Option<IpAddr>,
    absolute_form: bool,
    lines: Arc<()>,
}

/// With more lines open than this, new ones are closed after their first request instead of kept for
/// the next: a crawl meets thousands of hosts, and file handles are few.
const MOST_OPEN: usize = 256;

/// The address of the host at the other end; unknown behind a proxy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) Option<IpAddr>);

/// What is at the other end of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The host itself.
    Host,
    /// A proxy that will be asked for a tunnel.
    Tunnel,
    /// A proxy that reads whole URLs.
    Proxy,
}

impl Line {
    /// `lines` is shared by all lines that are open, and so counts them.
    pub(super) fn new(stream: TcpStream, end: End, lines: Arc<()>) -> Line {
        let peer = stream.peer_addr().ok().map(|address| address.ip()).filter(|_| end == End::Host);
        Line { stream: TokioIo::new(stream), peer, absolute_form: end == End::Proxy, lines }
    }
}

impl Connection for Line {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.absolute_form).extra(Peer(self.peer));
        if Arc::strong_count(&self.lines) > MOST_OPEN {
            connected.poison();
        }
        connected
    }
}

impl Read for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Write for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}
