import type { Socket } from "node:net";
import { remoteAddress } from "../remote-address.ts";
import type { ProxyProtocolRules } from "./proxy-policy.ts";
import { type ProxiedPeer, readProxyHeader } from "./read-proxy-header.ts";

/** Sets `remoteAddress` and `remotePort` of a socket to the client behind the proxy. */
export function setPeer(socket: Socket, { address, port }: ProxiedPeer): void {
  const value = (each: unknown) => ({ value: each, configurable: true });
  Object.defineProperties(socket, { remoteAddress: value(address), remotePort: value(port) });
}

/** Copies the result of {@link setPeer} from a connection to the connection on top of it, such as TLS. */
export function copyPeer(from: Socket, to: Socket): void {
  if (Object.hasOwn(from, "remoteAddress")) {
    setPeer(to, { address: from.remoteAddress ?? "", port: from.remotePort ?? 0 });
  }
}

/**
 * Removes a PROXY protocol header from a connection, before other readers.
 * @param taken called when the header is removed and the address is set; never called for a refused connection
 */
export function takeProxyHeader(socket: Socket, rules: ProxyProtocolRules, taken: () => void): void {
  const policy = rules.policyOf(remoteAddress(socket));
  if (policy === "skip") {
    taken();
    return;
  }
  let bytes: Buffer = Buffer.alloc(0);
  const destroy = () => socket.destroy();
  const timer = rules.timeoutMs > 0 ? setTimeout(destroy, rules.timeoutMs) : undefined;
  const stop = () => {
    clearTimeout(timer);
    socket.off("data", onData);
    socket.off("end", destroy);
    socket.off("close", stop);
  };
  const onData = (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const found = readProxyHeader(bytes);
    if (found.kind === "partial") {
      return;
    }
    stop();
    const isRefused = found.kind === "header" ? policy === "reject" : policy === "require";
    if (found.kind === "malformed" || isRefused) {
      socket.destroy();
      return;
    }
    if (found.kind === "header" && found.peer !== undefined && policy !== "ignore") {
      setPeer(socket, found.peer);
    }
    const rest = found.kind === "header" ? bytes.subarray(found.bytes) : bytes;
    socket.pause();
    if (rest.length > 0) {
      socket.unshift(rest);
    }
    taken();
    socket.resume();
  };
  socket.on("error", destroy);
  socket.on("data", onData);
  socket.on("end", destroy);
  socket.on("close", stop);
}
