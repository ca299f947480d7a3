import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";

/** The usual limit of streams for one connection. */
const perConnection = 100;

async function openStream(session: ClientHttp2Session): Promise<ClientHttp2Stream> {
  const stream = session.request({
    ":method": "CONNECT",
    ":protocol": "websocket",
    ":authority": "a",
    ":scheme": "http",
    ":path": "/",
    "sec-websocket-version": "13",
  });
  const [head] = (await once(stream, "response")) as [Record<string, unknown>];
  if (head[":status"] !== 200) {
    throw new Error(`no tunnel: status ${String(head[":status"])}`);
  }
  return stream;
}

/** Opens a connection with some tunnels. The connection ends with its last tunnel. */
async function openConnection(port: number, count: number): Promise<ClientHttp2Stream[]> {
  const session = connect(`http://127.0.0.1:${port}`);
  const [settings] = (await once(session, "remoteSettings")) as [{ enableConnectProtocol?: boolean }];
  if (settings.enableConnectProtocol !== true) {
    session.destroy();
    throw new Error("the server offers no extended CONNECT (RFC 8441)");
  }
  const streams = await Promise.all(Array.from({ length: count }, () => openStream(session)));
  let open = streams.length;
  for (const stream of streams) {
    stream.on("error", () => {});
    stream.once("close", () => {
      open--;
      if (open === 0) {
        session.destroy();
      }
    });
  }
  return streams;
}

/**
 * Opens WebSocket tunnels through a proxy as streams of HTTP/2 without TLS, a hundred in each connection. The proxy
 * then needs half as many file descriptors as with two sockets per tunnel.
 * @throws Error when a tunnel is refused
 */
export async function openStreamTunnels(
  port: number,
  count: number,
  signal: AbortSignal,
): Promise<ClientHttp2Stream[]> {
  const streams: ClientHttp2Stream[] = [];
  while (streams.length < count) {
    signal.throwIfAborted();
    streams.push(...(await openConnection(port, Math.min(perConnection, count - streams.length))));
  }
  return streams;
}
