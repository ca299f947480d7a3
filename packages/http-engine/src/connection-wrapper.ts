import type { Socket } from "node:net";
import type { ModuleInstance } from "server-core/modules/module";
import type { ProxyProtocolRules } from "./proxy-protocol/proxy-policy.ts";

/** A module that processes the bytes of connections before HTTP or TLS. */
export interface ConnectionWrapper extends ModuleInstance {
  /**
   * Receives a paused connection with all its bytes.
   * @param next passes this connection, or one on top of it, to the next layer. It is not called for a connection
   * that the wrapper serves or closes itself
   */
  wrap(socket: Socket, next: (socket: Socket) => void): void;
}

/** The work of wrappers on connections, in order. */
export interface ListenerWrappers {
  /** Rules for PROXY protocol headers; undefined: no such header is expected. */
  readonly proxyProtocol: ProxyProtocolRules | undefined;
  /**
   * Size limit in bytes of the head of a plain request on a TLS port, which is redirected to https; undefined: such
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
