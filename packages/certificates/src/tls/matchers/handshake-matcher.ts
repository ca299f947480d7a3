import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { ClientHello } from "../client-hello.ts";

/** A connection that has said hello. */
export interface Handshake {
  /** First message of the client: server name, protocols, versions. */
  readonly hello: ClientHello;
  /** "" over a unix socket. */
  readonly remoteAddress: string;
  /** Address of this machine that the client came to; "" over a unix socket. */
  readonly localAddress: string;
}

/** Says whether a connection policy is for a handshake. */
export interface HandshakeMatcher extends ModuleInstance {
  /** @returns whether the policy that has this matcher may take the handshake; it must not throw */
  matches(handshake: Handshake): boolean;
}

/** Modules for `match` of a connection policy. */
export const handshakeMatchers: ModuleNamespace<HandshakeMatcher> = { prefix: "tls.handshake_match" };
