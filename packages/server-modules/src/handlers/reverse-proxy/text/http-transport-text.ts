import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import type { ModuleReader } from "serverfile/modules/module-reader";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  flag,
  integer,
  parsed,
  type Row,
  readFields,
  row,
  setFalse,
  text,
  texts,
  wordsFor,
  wordsOf,
} from "serverfile/values/block-fields";
import { childOf, type Draft, setAt } from "serverfile/values/draft";
import { parseDuration } from "serverfile/values/parse-duration";
import { parseSize } from "serverfile/values/parse-size";

/** Reads a size; a fault gets its own message. */
function sizeOf(path: string, what: string): Row {
  const read: FieldReader = (cursor, draft) =>
    setAt(draft, path, parsed(cursor, cursor.argument(), parseSize, `invalid ${what} size '%s'`));
  return row(path, read, wordsOf.size, "0");
}

/** Reads a word from a fixed set. */
function oneOf(path: string, values: readonly string[], fault?: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const value = cursor.argument();
    if (!values.includes(value)) {
      throw fault === undefined ? cursor.argumentError() : cursor.error(`${fault} '${value}'`);
    }
    setAt(draft, path, value);
  };
  return row(path, read, wordsOf.text, "");
}

/** `tls_client_auth name` uses a managed certificate, `tls_client_auth cert.pem key.pem` uses files. */
function clientCertificate(cursor: TokenCursor, draft: Draft): void {
  const tls = childOf(draft, "tls");
  const [first, second, ...more] = cursor.someArguments();
  if (more.length > 0) {
    throw cursor.argumentError();
  }
  if (second === undefined) {
    setAt(tls, "client_certificate_automate", first ?? "");
  } else {
    setAt(tls, "client_certificate_file", first ?? "");
    setAt(tls, "client_certificate_key_file", second);
  }
}

/** `keepalive off`, or `keepalive 90s` for the limit of a connection's idle time. */
function keepAlive(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.argument();
  if (word === "off") {
    setFalse(draft, "keep_alive.enabled");
  } else {
    const idle = parsed(cursor, word, parseDuration, "bad duration value '%s'");
    setAt(draft, "keep_alive.idle_timeout", idle);
  }
}

/** `resolvers address…`, at least one address. */
export const resolvers = row(
  "resolver.addresses",
  (cursor, draft) => {
    const addresses = cursor.remainingArguments();
    if (addresses.length === 0) {
      throw cursor.error("must specify at least one resolver address");
    }
    setAt(draft, "resolver.addresses", addresses);
  },
  wordsOf.texts,
);

/** `tls_trusted_ca_certs file…`: an error together with `tls_trust_pool`. */
const trustedFiles: FieldReader = (cursor, draft) => {
  const files = cursor.someArguments();
  if (childOf(draft, "tls").ca !== undefined) {
    throw cursor.error("cannot specify both 'tls_trust_pool' and 'tls_trusted_ca_certs'");
  }
  childOf(draft, "tls").root_ca_pem_files = files;
};

/** `compression off`. Any other word has no effect, as in Caddy. */
const compression: FieldReader = (cursor, draft) => {
  if (cursor.nextArgument() && cursor.value === "off") {
    setFalse(draft, "compression");
  }
};

/** Lines of the HTTP transport, except lines that name modules. */
export const httpFields: FieldReaders = {
  read_buffer: sizeOf("read_buffer_size", "read buffer"),
  write_buffer: sizeOf("write_buffer_size", "write buffer"),
  read_timeout: duration("read_timeout", "invalid read timeout duration '%s'"),
  write_timeout: duration("write_timeout", "invalid write timeout duration '%s'"),
  max_response_header: sizeOf("max_response_header_size", "max response header"),
  proxy_protocol: oneOf("proxy_protocol", ["v1", "v2"], "invalid proxy protocol version"),
  forward_proxy_url: (cursor, draft) => {
    draft.network_proxy = { from: "url", url: cursor.argument() };
  },
  dial_timeout: duration("dial_timeout", "bad timeout value '%s'"),
  dial_fallback_delay: duration("dial_fallback_delay", "bad fallback delay value '%s'"),
  response_header_timeout: duration("response_header_timeout", "bad timeout value '%s'"),
  expect_continue_timeout: duration("expect_continue_timeout", "bad timeout value '%s'"),
  resolvers,
  tls: (_cursor, draft) => {
    childOf(draft, "tls");
  },
  tls_client_auth: clientCertificate,
  tls_insecure_skip_verify: flag("tls.insecure_skip_verify"),
  tls_curves: texts("tls.curves"),
  tls_timeout: duration("tls.handshake_timeout", "bad timeout value '%s'"),
  tls_trusted_ca_certs: row("tls.root_ca_pem_files", trustedFiles, wordsOf.texts),
  tls_server_name: text("tls.server_name"),
  tls_renegotiation: oneOf("tls.renegotiation", ["never", "once", "freely"]),
  tls_except_ports: texts("tls.except_ports"),
  keepalive: row("keep_alive.enabled", keepAlive, wordsFor(false, "off")),
  keepalive_interval: duration("keep_alive.probe_interval", "bad interval value '%s'"),
  keepalive_idle_conns: integer("keep_alive.max_idle_conns", "bad integer value '%s'"),
  keepalive_idle_conns_per_host: integer("keep_alive.max_idle_conns_per_host", "bad integer value '%s'"),
  versions: texts("versions"),
  compression: row("compression", compression, wordsFor(false, "off")),
  max_conns_per_host: integer("max_conns_per_host", "bad integer value '%s'"),
  local_address: text("local_address"),
};

/**
 * `transport http { … }`. The scheme of the upstreams adds members.
 * ```
 * to https://app:8443
 * transport http {
 *   tls_server_name app.internal
 *   dial_timeout 2s
 *   keepalive_idle_conns_per_host 64
 *   versions 1.1
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "upstreams": [{ "dial": "app:8443" }],
 *   "transport": {
 *     "tls": { "server_name": "app.internal" },
 *     "dial_timeout": 2000000000,
 *     "keep_alive": { "max_idle_conns_per_host": 64 },
 *     "versions": ["1.1"],
 *     "protocol": "http"
 *   }
 * }
 * ```
 */
const readText: ModuleReader = (transportCursor, readModule) => {
  transportCursor.next();
  const fields: FieldReaders = {
    ...httpFields,
    network_proxy: (cursor, draft) => {
      cursor.argument();
      draft.network_proxy = readModule(cursor, "network_proxy", "from");
    },
    tls_trust_pool: (cursor, draft) => {
      cursor.argument();
      const pool = readModule(cursor, "tls.ca_pool.source", "provider");
      const tls = childOf(draft, "tls");
      if (tls.root_ca_pem_files !== undefined) {
        throw cursor.error("cannot specify both 'tls_trust_pool' and 'tls_trusted_ca_certs'");
      }
      if (tls.ca !== undefined) {
        throw cursor.error('cannot specify "tls_trust_pool" twice in serverfile');
      }
      tls.ca = pool;
    },
  };
  const draft: Draft = {};
  readFields(transportCursor, draft, fields, (word) => `unrecognized subdirective ${word}`);
  return draft;
};

export const httpTransportText: ModuleText = { readText };
