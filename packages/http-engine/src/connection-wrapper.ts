import type { Socket } from "node:net";
import type { ModuleInstance } from "server-core/modules/module";
import type { ProxyProtocolRules } from "./proxy-protocol/proxy-policy.ts";

/** A module that processes the bytes of connections before HTTP or TLS. */
export interface ConnectionWrapper extends ModuleInstance {
  /**
   * Receives a paused connection with all its bytes.
   * @param next passes this connection, or a connection on top of it, to the next layer. A wrapper that serves or
   * closes the connection itself does not call `next`
   */
  wrap(socket: Socket, next: (socket: Socket) => void): void;
}

/** The listener wrappers of a server, in the order in which a connection passes them. */
export interface ListenerWrappers {
  /** Rules for PROXY protocol headers; undefined: no such header is expected. */
  readonly proxyProtocol: ProxyProtocolRules | undefined;
  /**
   * A plain request on a TLS port is redirected to https if its head has at most this many bytes; undefined: such
   * requests are refused.
   */
  readonly redirectBytes: number | undefined;
  /** Layers between the PROXY protocol and TLS. */
  readonly beforeTls: readonly ConnectionWrapper[];
  /** Layers between TLS and requests. */
  readonly behindTls: readonly ConnectionWrapper[];
}

/** Gives a connection to each layer, then to `last`. @param layers in order */
export function wrapConnection(
  socket: Socket,
  layers: readonly ConnectionWrapper[],
  last: (socket: Socket) => void,
): void {
  const [first, ...others] = layers;
  if (first === undefined) {
    last(socket);
    return;
  }
  first.wrap(socket, (next) => wrapConnection(next, others, last));
}
