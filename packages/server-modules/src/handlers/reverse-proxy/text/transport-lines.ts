import { inexpressible } from "serverfile/to-text/inexpressible";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { type Line, line, lineWith } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import { caPoolLine } from "serverfile/to-text/modules/ca-pools";
import { durationWord } from "serverfile/values/value-words";
import { fastcgiFields } from "./fastcgi-transport-text.ts";
import { httpFields } from "./http-transport-text.ts";
import type { UpstreamScheme } from "./upstream-words.ts";

/** Lines of FastCGI, also used by `php_fastcgi`. */
export function fastcgiLines(transport: Members): Line[] {
  const lines = fieldLines(transport, fastcgiFields);
  const env = transport.child("env");
  for (const key of env?.keys ?? []) {
    lines.push(line("env", key, env?.text(key) ?? ""));
  }
  return lines;
}

/** Writes the line `network_proxy`. */
function networkProxyLine(proxy: Members): Line {
  const from = proxy.text("from") ?? "";
  const url = proxy.text("url");
  return line("network_proxy", from, ...(url === undefined ? [] : [url]));
}

/** Lines of the transport `http`. Members that the upstream scheme implies are left out. */
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
  // An empty `tls {}` is written as the line `tls`, or as the scheme `https`.
  const isLine = (name: string) => tls?.isEmpty !== true || !name.startsWith("tls_");
  const fields = Object.entries(httpFields).filter(([name]) => isLine(name));
  lines.push(...fieldLines(transport, Object.fromEntries(fields)));
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

/**
 * Writes `transport …`. The line is left out when the upstream scheme implies the whole transport. @throws ServerError
 * CONFIG_INEXPRESSIBLE
 */
export function transportLine(transport: Members, scheme: UpstreamScheme): Line[] {
  const protocol = transport.text("protocol") ?? "";
  if (protocol === "fastcgi") {
    return [lineWith(["transport", "fastcgi"], fastcgiLines(transport))];
  }
  if (protocol !== "http") {
    throw inexpressible(transport.path, `there is no transport ${protocol} in serverfiles`);
  }
  const lines = httpLines(transport, scheme);
  return lines.length === 0 ? [] : [{ words: ["transport", "http"], block: lines }];
}
