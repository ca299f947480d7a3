import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { ClientHello } from "../client-hello.ts";

/** A connection that has said hello. */
export interface Handshake {
  readonly hello: ClientHello;
  /** "" over a unix socket. */
  readonly remoteAddress: string;
  readonly localAddress: string;
}

/** Says whether a connection policy is for a handshake. */
export interface HandshakeMatcher extends ModuleInstance {
  matches(handshake: Handshake): boolean;
}

export const handshakeMatchers: ModuleNamespace<HandshakeMatcher> = { prefix: "tls.handshake_match" };
