//! An open connection, with the facts that the HTTP client needs about it.

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
pub(super) struct HostConnection {
    stream: TokioIo<TcpStream>,
    peer: Option<IpAddr>,
    absolute_form: bool,
    open: Arc<()>,
}

/// Open connections above which new ones are closed after their first request. A crawl visits thousands of hosts, and
/// file handles are limited. Guess.
const MAX_OPEN: usize = 256;

/// Address of the host; unknown behind a proxy.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerAddress(pub(super) Option<IpAddr>);

/// Remote end of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    /// The host itself.
    Host,
    /// A proxy that opens a tunnel.
    Tunnel,
    /// A proxy that takes absolute URLs.
    Proxy,
}

impl HostConnection {
    /// `open` is shared by all open connections, so its reference count is their number.
    pub(super) fn new(stream: TcpStream, end: ConnectionEnd, open: Arc<()>) -> HostConnection {
        let peer = stream.peer_addr().ok().map(|address| address.ip()).filter(|_| end == ConnectionEnd::Host);
        HostConnection {
            stream: TokioIo::new(stream),
            peer,
            absolute_form: end == ConnectionEnd::Proxy,
            open,
        }
    }
}

impl Connection for HostConnection {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.absolute_form).extra(PeerAddress(self.peer));
        if Arc::strong_count(&self.open) > MAX_OPEN {
            connected.poison();
        }
        connected
    }
}

impl Read for HostConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Write for HostConnection {
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
