import { ServerError } from "server-core/errors";
import { parseListenAddress } from "server-core/listen/listen-address";
import { replaceStrictly } from "server-core/placeholders/machine-placeholders";
import type { HttpServerConfig } from "./http-config.ts";

const defaultProtocols = ["h1", "h2"];

/** An empty name in a list means the server's protocols. */
function withDefaults(
  protocols: readonly string[] | null | undefined,
  ofServer: readonly string[],
): string[] {
  return protocols == null || protocols.length === 0
    ? [...ofServer]
    : [...new Set(protocols.flatMap((name) => (name === "" ? ofServer : [name])))];
}

/**
 * The protocols of each address of a server, in the order of the addresses in `listen`.
 * @throws ServerError MODULE_CONFIG when `listen_protocols` does not have exactly one list for each entry of `listen`
 * Source: Caddy 2.11
 */
export function protocolsByAddress(config: HttpServerConfig): string[][] {
  const { listen, listen_protocols: lists } = config;
  const texts = listen ?? [];
  if (lists != null && lists.length !== texts.length) {
    throw new ServerError(
      "MODULE_CONFIG",
      `listener protocols count does not match address count: ${lists.length} != ${texts.length}`,
    );
  }
  const ofServer = withDefaults(config.protocols, defaultProtocols);
  return texts.flatMap((text, index) =>
    parseListenAddress(replaceStrictly(text)).map(() => withDefaults(lists?.[index], ofServer)),
  );
}
