import type { Socket } from "node:net";
import { ServerError } from "server-core/errors";
import type { DialAddress } from "./dial-address.ts";
import { askForSocksTunnel, type SocksUser } from "./socks-tunnel.ts";

/**
 * An HTTP or SOCKS 5 proxy between this server and upstreams. Each connection to an upstream is a tunnel through the
 * proxy.
 */
export interface ProxyHop {
  /** Host without brackets. */
  readonly host: string;
  readonly port: number;
  /** True when the proxy is reached over TLS. */
  readonly secure: boolean;
  /** True for SOCKS 5, false for HTTP. */
  readonly socks: boolean;
  /** Name and password for the proxy; undefined without credentials. */
  readonly user: SocksUser | undefined;
  /** Key of the proxy and its user; equal for the same proxy and the same user. */
  readonly key: string;
}

/** Maximum number of bytes of the proxy's response to CONNECT. A longer response fails the dial. */
const maxHeadBytes = 16 * 1024;
/** Default ports by scheme. URLs with other schemes are refused. */
const defaultPorts: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "socks5:": 1080,
  "socks5h:": 1080,
};
/** Maximum number of bytes of a name or password; SOCKS sends the length in one byte. */
const maxSocksBytes = 255;

/**
 * Parses the URL of a proxy. `http://user:secret@proxy:3128` is an HTTP proxy with Basic credentials; `socks5://proxy`
 * is a SOCKS proxy at port 1080.
 * @param from name of the option, for the error
 * @throws ServerError MODULE_CONFIG; the message does not contain the password
 */
export function parseProxyHop(text: string, from = "network_proxy"): ProxyHop {
  const url = URL.parse(text);
  const port = url === null ? undefined : defaultPorts[url.protocol];
  if (url === null || port === undefined || url.hostname === "") {
    const shown = url === null ? "that URL" : JSON.stringify(`${url.protocol}//${url.host}`);
    throw new ServerError(
      "MODULE_CONFIG",
      `${from}: ${shown} is not http://host:port, https://host:port or socks5://host:port`,
    );
  }
  const user = { name: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  const socks = url.protocol.startsWith("socks5");
  if (socks && Math.max(Buffer.byteLength(user.name), Buffer.byteLength(user.password)) > maxSocksBytes) {
    const text = `a user or password for SOCKS is longer than ${maxSocksBytes} bytes`;
    throw new ServerError("MODULE_CONFIG", `${from}: ${text}`);
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || port,
    secure: url.protocol === "https:",
    socks,
    user: user.name === "" && user.password === "" ? undefined : user,
    key: url.href,
  };
}

/**
 * Asks a proxy for a tunnel. Data that follows the proxy's answer stays in the socket.
 * @param done called once, with the proxy's error, or with undefined when the tunnel is open; not called when the
 * socket fails
 */
export function askForTunnel(
  socket: Socket,
  hop: ProxyHop,
  target: DialAddress,
  done: (error: Error | undefined) => void,
): void {
  const finish = (fault: string | undefined): void =>
    done(fault === undefined ? undefined : new Error(`proxy ${hop.host}:${hop.port}: ${fault}`));
  if (hop.socks) {
    askForSocksTunnel(socket, target, hop.user, finish);
  } else {
    askForHttpTunnel(socket, target.key, hop.user, finish);
  }
}

/** @param target `host:port`. Source: RFC 9110, section 9.3.6 */
function askForHttpTunnel(
  socket: Socket,
  target: string,
  user: SocksUser | undefined,
  done: (fault: string | undefined) => void,
): void {
  let head = Buffer.alloc(0);
  const finish = (fault: string | undefined): void => {
    socket.off("readable", onReadable);
    done(fault);
  };
  const onReadable = (): void => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read()) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) {
        if (head.length > maxHeadBytes) {
          finish(`an answer over the limit of ${maxHeadBytes} bytes`);
          return;
        }
        continue;
      }
      const [, status = "", reason = ""] =
        /^HTTP\/1\.[01] (\d{3})(?: ([ -~]{0,80}))?/.exec(head.toString("latin1")) ?? [];
      const rest = head.subarray(end + 4);
      if (rest.length > 0) {
        socket.unshift(rest);
      }
      finish(
        status.startsWith("2")
          ? undefined
          : status === ""
            ? "no answer of HTTP/1"
            : `${status} ${reason}`.trim(),
      );
      return;
    }
  };
  socket.on("readable", onReadable);
  const credentials =
    user === undefined ? "" : Buffer.from(`${user.name}:${user.password}`).toString("base64");
  const authorization = credentials === "" ? "" : `Proxy-Authorization: Basic ${credentials}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
}
