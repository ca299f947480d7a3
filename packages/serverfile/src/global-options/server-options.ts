import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import { serverFields, serverLogFields, timeoutFields } from "../modules/server-fields.ts";
import type { ServerOptions } from "../sites/global-options.ts";
import { type FieldReader, type FieldReaders, readFields } from "../values/block-fields.ts";
import { listOf } from "../values/draft.ts";

/** Reads a block whose lines are wrapper modules, outermost first. */
function wrappers(path: string, namespace: string, readModule: ReadModule): FieldReader {
  return (cursor, draft) => {
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      const wrapper = readModule(cursor, namespace, "wrapper");
      listOf(draft, path).push(wrapper);
    }
  };
}

/**
 * `servers [address] { … }`: options for the servers on this address, or for all servers.
 * @throws ServerError CONFIG_ADAPTER
 */
export function readServerOptions(cursor: TokenCursor, readModule: ReadModule): ServerOptions {
  cursor.next();
  const address = cursor.nextArgument() ? cursor.value : "";
  cursor.noMoreArguments();
  const options: ServerOptions = { address, name: "", draft: {}, logs: {}, metricsPerHost: undefined };
  const { logs } = options;
  const fields: FieldReaders = {
    ...serverFields,
    name: (line) => {
      if (address === "") {
        throw line.error("cannot set a name for a server without a listener address");
      }
      options.name = line.argument();
    },
    listener_wrappers: wrappers("listener_wrappers", "caddy.listeners", readModule),
    packet_conn_wrappers: wrappers("packet_conn_wrappers", "caddy.packetconns", readModule),
    timeouts: (line, draft) =>
      readFields(line, draft, timeoutFields, (word) => `unrecognized timeouts option '${word}'`),
    log_credentials: (line) => serverLogFields.log_credentials(line, logs),
    trusted_proxies: (line, draft) => {
      if (!line.nextArgument()) {
        throw line.error("trusted_proxies expects an IP range source module name as its first argument");
      }
      draft.trusted_proxies = readModule(line, "http.ip_sources", "source");
    },
    metrics: (line) => {
      options.metricsPerHost = false;
      const perHost: FieldReader = () => {
        options.metricsPerHost = true;
      };
      readFields(line, {}, { per_host: perHost }, (word) => `unrecognized metrics option '${word}'`);
    },
    trace: (line) => serverLogFields.trace(line, logs),
  };
  readFields(cursor, options.draft, fields, (word) => `unrecognized servers option '${word}'`);
  return options;
}
