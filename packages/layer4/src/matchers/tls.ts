import { type HelloState, maxHelloBytes, readClientHello } from "certificates/tls/client-hello";
import { type HandshakeMatcher, handshakeMatchers } from "certificates/tls/matchers/handshake-matcher";
import type { JsonValue } from "server-core/json/json-value";
import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Connection } from "../connection/connection.ts";
import type { Matcher } from "../routes/handler.ts";

/** Cache of parsed hellos, because several routes use the same one. */
const read = new WeakMap<Buffer, HelloState>();

/** The hello at the start of the bytes; later bytes are ignored. */
function helloOf({ bytes }: Connection): HelloState {
  let state = read.get(bytes);
  if (state === undefined) {
    state = readClientHello(bytes.subarray(0, maxHelloBytes));
    read.set(bytes, state);
  }
  return state;
}

/**
 * Matches TLS by its first message: byte 0 is 16 hex, byte 5 is 1 for a client hello. It waits until the hello is
 * complete. A match sets `{l4.tls.server_name}`; the bytes stay for the handler `tls`, or for an upstream with TLS.
 * Source: caddy-l4, `layer4.matchers.tls`
 */
export const tlsMatcher = defineModule({
  id: "layer4.matchers.tls",
  config: moduleMap("tls.handshake_match").describe("Matchers of handshakes; all must match (any TLS)."),
  async provision(config, context): Promise<Matcher> {
    const list: HandshakeMatcher[] = [];
    for (const [name, each] of Object.entries(config)) {
      list.push(await context.load(handshakeMatchers, name, each as JsonValue, name));
    }
    return {
      matches(connection) {
        const state = helloOf(connection);
        if (state.kind !== "hello") {
          return state.kind === "partial" ? undefined : false;
        }
        const { hello } = state;
        const { remoteAddress, localAddress } = connection.addresses;
        const matched = list.every((each) => each.matches({ hello, remoteAddress, localAddress }));
        if (matched) {
          connection.setValue("l4.tls.server_name", hello.serverName);
        }
        return matched;
      },
    };
  },
});

/** Matches by the application protocols that a TLS client offers. Source: caddy-l4, `tls.handshake_match.alpn` */
export const alpnMatcher = defineModule({
  id: "tls.handshake_match.alpn",
  config: z.array(z.string()).describe("Names of protocols, as `h2`; any of them."),
  provision(names): HandshakeMatcher {
    return { matches: ({ hello }) => hello.protocols.some((name) => names.includes(name)) };
  },
});
