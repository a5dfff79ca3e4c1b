//! A proxy before PostgreSQL that drops, delays, half-closes and silences connections.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Fault of one connection.
#[derive(Clone, Copy, Debug)]
pub enum ConnectionFault {
    /// Both sides are closed.
    Drop,
    /// Nothing is forwarded for this time.
    Delay(Duration),
    /// The next message reaches the server, and its answer is lost.
    LoseAnswer,
    /// The worker sees the end of the connection, and the server does not.
    HalfClose,
    /// Nothing is forwarded any more, and both sides stay open for this time.
    Silence(Duration),
}

/// A proxy before a server.
pub struct FaultyProxy {
    pub addr: SocketAddr,
    connections: Arc<Mutex<Vec<UnboundedSender<ConnectionFault>>>>,
}

impl FaultyProxy {
    /// Listens on a free port, and forwards to `server`.
    pub async fn start(server: SocketAddr) -> FaultyProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let connections = Arc::<Mutex<Vec<UnboundedSender<ConnectionFault>>>>::default();
        let known = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (sender, faults) = unbounded_channel();
                known.lock().unwrap().push(sender);
                tokio::spawn(async move {
                    if let Ok(server) = TcpStream::connect(server).await {
                        // An error of a socket ends the connection, as on any network.
                        forward(client, server, faults).await.ok();
                    }
                });
            }
        });
        FaultyProxy { addr, connections }
    }

    /// Disturbs one of the open connections. False if there is none.
    pub fn disturb(&self, fault: ConnectionFault, draw: &mut impl FnMut(usize) -> usize) -> bool {
        let mut connections = self.connections.lock().unwrap();
        connections.retain(|connection| !connection.is_closed());
        let count = connections.len();
        count > 0 && connections[draw(count)].send(fault).is_ok()
    }
}

/// Forwards bytes until one side closes or a fault ends the connection.
async fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    mut faults: UnboundedReceiver<ConnectionFault>,
) -> std::io::Result<()> {
    let (mut from_client, mut from_server) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut loses_answer = false;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    loop {
        tokio::select! {
            fault = faults.recv() => match fault {
                None | Some(ConnectionFault::Drop) => return Ok(()),
                Some(ConnectionFault::Delay(time)) => tokio::time::sleep(time).await,
                Some(ConnectionFault::LoseAnswer) => loses_answer = true,
                Some(ConnectionFault::HalfClose) => {
                    client.shutdown().await?;
                    return absorb(&mut client, &mut server).await;
                }
                Some(ConnectionFault::Silence(time)) => {
                    tokio::time::sleep(time).await;
                    return Ok(());
                }
            },
            count = client.read(&mut from_client) => {
                let count = count?;
                server.write_all(&from_client[..count]).await?;
                if count == 0 {
                    return Ok(());
                }
                if loses_answer {
                    // The server works on the message meanwhile, and its answer is not read.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    return Ok(());
                }
            }
            count = server.read(&mut from_server) => {
                let count = count?;
                if count == 0 {
                    return Ok(());
                }
                client.write_all(&from_server[..count]).await?;
            }
        }
    }
}

/// Forwards what the client still sends, and drops the answers.
async fn absorb(client: &mut TcpStream, server: &mut TcpStream) -> std::io::Result<()> {
    let (mut reader, mut sink) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            count = client.read(&mut reader) => match count? {
                0 => return Ok(()),
                count => server.write_all(&reader[..count]).await?,
            },
            count = server.read(&mut sink) => if count? == 0 { return Ok(()) },
        }
    }
}
