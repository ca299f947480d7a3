import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { ClientHello } from "../client-hello.ts";

/** Facts about a connection whose ClientHello has arrived. */
export interface Handshake {
  /** First message of the client: server name, application protocols, ticket key. */
  readonly hello: ClientHello;
  /** IP address of the client; "" over a unix socket. */
  readonly remoteAddress: string;
  /** Local address that the client connected to; "" over a unix socket. */
  readonly localAddress: string;
}

/** Decides if a connection policy applies to a handshake. */
export interface HandshakeMatcher extends ModuleInstance {
  /** Must not throw. @returns true when the handshake matches */
  matches(handshake: Handshake): boolean;
}

/** Modules for `match` of a connection policy. */
export const handshakeMatchers: ModuleNamespace<HandshakeMatcher> = { prefix: "tls.handshake_match" };
