import type { Socket } from "node:net";
import type { ModuleInstance } from "server-core/modules/module";
import type { ProxyProtocolRules } from "./proxy-protocol/proxy-policy.ts";

/** A layer of connections that a module brings. */
export interface ConnectionWrapper extends ModuleInstance {
  /**
   * Takes a connection that is paused, with all its bytes.
   * @param next gets it, or one over it, for the layers that follow; of a connection that is served or closed nothing is heard
   */
  wrap(socket: Socket, next: (socket: Socket) => void): void;
}

/** The work of wrappers on connections, in order. */
export interface ListenerWrappers {
  /** Rules for PROXY protocol headers; undefined: none is expected. */
  readonly proxyProtocol: ProxyProtocolRules | undefined;
  /**
   * Largest head, in bytes, of a plain request on a port of TLS that is redirected to https; undefined: it is
   * refused.
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
