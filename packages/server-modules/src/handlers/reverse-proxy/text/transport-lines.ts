import { inexpressible } from "serverfile/to-text/inexpressible";
import {
  duration,
  field,
  fieldLines,
  fixed,
  flag,
  integer,
  size,
  text,
  texts,
} from "serverfile/to-text/lines/field-lines";
import { type Line, line, lineWith } from "serverfile/to-text/lines/line";
import { durationWord } from "serverfile/to-text/lines/value-words";
import type { Members } from "serverfile/to-text/members";
import { caPoolLine } from "serverfile/to-text/modules/ca-pools";
import type { UpstreamScheme } from "./upstream-words.ts";

/** Lines of FastCGI, which `php_fastcgi` has too; `split` is told apart. */
export const fastcgiFields = {
  root: text("root"),
  resolve_root_symlink: flag("resolve_root_symlink"),
  dial_timeout: duration("dial_timeout"),
  read_timeout: duration("read_timeout"),
  write_timeout: duration("write_timeout"),
  capture_stderr: flag("capture_stderr"),
};

export function fastcgiLines(transport: Members): Line[] {
  const lines = fieldLines(transport, fastcgiFields);
  const env = transport.child("env");
  for (const key of env?.keys ?? []) {
    lines.push(line("env", key, env?.text(key) ?? ""));
  }
  return lines;
}

const httpFields = {
  read_buffer: size("read_buffer_size"),
  write_buffer: size("write_buffer_size"),
  read_timeout: duration("read_timeout"),
  write_timeout: duration("write_timeout"),
  max_response_header: size("max_response_header_size"),
  proxy_protocol: text("proxy_protocol"),
  dial_timeout: duration("dial_timeout"),
  dial_fallback_delay: duration("dial_fallback_delay"),
  response_header_timeout: duration("response_header_timeout"),
  expect_continue_timeout: duration("expect_continue_timeout"),
  resolvers: texts("resolver.addresses"),
  tls_insecure_skip_verify: flag("tls.insecure_skip_verify"),
  tls_curves: texts("tls.curves"),
  tls_timeout: duration("tls.handshake_timeout"),
  tls_trusted_ca_certs: texts("tls.root_ca_pem_files"),
  tls_server_name: text("tls.server_name"),
  tls_renegotiation: text("tls.renegotiation"),
  tls_except_ports: texts("tls.except_ports"),
  keepalive: fixed("keep_alive.enabled", "off", false),
  keepalive_interval: duration("keep_alive.probe_interval"),
  keepalive_idle_conns: integer("keep_alive.max_idle_conns"),
  keepalive_idle_conns_per_host: integer("keep_alive.max_idle_conns_per_host"),
  versions: texts("versions"),
  compression: fixed("compression", "off", false),
  max_conns_per_host: integer("max_conns_per_host"),
  local_address: text("local_address"),
};

function networkProxyLine(proxy: Members): Line {
  const from = proxy.text("from") ?? "";
  const url = proxy.text("url");
  return line("network_proxy", from, ...(url === undefined ? [] : [url]));
}

function httpLines(transport: Members, scheme: UpstreamScheme): Line[] {
  const lines: Line[] = [];
  const tls = transport.child("tls");
  if (tls?.isEmpty === true && scheme !== "https") {
    lines.push(line("tls"));
  }
  if (scheme === "h2c") {
    transport.take("versions");
  }
  const file = tls?.text("client_certificate_file");
  const key = tls?.text("client_certificate_key_file");
  const automatic = tls?.text("client_certificate_automate");
  if (file !== undefined || key !== undefined) {
    lines.push(line("tls_client_auth", file ?? "", key ?? ""));
  }
  if (automatic !== undefined) {
    lines.push(line("tls_client_auth", automatic));
  }
  const all = scheme === "h2c" ? { ...httpFields, versions: field("versions", () => undefined) } : httpFields;
  // `tls {}` has a line of its own, or the scheme
  const tlsIsEmpty = tls?.isEmpty === true;
  lines.push(
    ...fieldLines(
      transport,
      tlsIsEmpty
        ? Object.fromEntries(Object.entries(all).filter(([, { path }]) => !path.startsWith("tls.")))
        : all,
    ),
  );
  const keepAlive = transport.look("keep_alive") === undefined ? undefined : transport.child("keep_alive");
  const idle = keepAlive?.number("idle_timeout");
  if (idle !== undefined && keepAlive !== undefined) {
    lines.push(line("keepalive", durationWord(idle)));
  }
  const proxy = transport.child("network_proxy");
  if (proxy !== undefined) {
    lines.push(networkProxyLine(proxy));
  }
  const pool = tls?.child("ca");
  if (pool !== undefined) {
    lines.push(caPoolLine(pool, "tls_trust_pool"));
  }
  return lines;
}

/** `transport …`, left out when the scheme of the upstreams says all. @throws ServerError CONFIG_INEXPRESSIBLE */
export function transportLine(transport: Members, scheme: UpstreamScheme): Line[] {
  const protocol = transport.text("protocol") ?? "";
  if (protocol === "fastcgi") {
    const split = transport.texts("split_path");
    const lines = fastcgiLines(transport);
    return [
      lineWith(
        ["transport", "fastcgi"],
        [...lines, ...(split === undefined ? [] : [line("split", ...split)])],
      ),
    ];
  }
  if (protocol !== "http") {
    throw inexpressible(transport.path, `there is no transport ${protocol} in serverfiles`);
  }
  const lines = httpLines(transport, scheme);
  return lines.length === 0 ? [] : [{ words: ["transport", "http"], block: lines }];
}
