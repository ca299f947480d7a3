import { duration, field, fieldLines, flag, integer, size, texts } from "../lines/field-lines.ts";
import { type Line, line, lineWith } from "../lines/line.ts";
import { durationWord } from "../lines/value-words.ts";
import { rangeWords } from "../matchers/matcher-kinds.ts";
import type { Members } from "../members.ts";
import type { ServerDraft } from "../sites/site-draft.ts";

const timeoutFields = {
  read_body: duration("read_timeout"),
  read_body_idle: paced("read"),
  read_header: duration("read_header_timeout"),
  write: duration("write_timeout"),
  write_idle: paced("write"),
  write_max_chunk: size("max_write_chunk"),
  idle: duration("idle_timeout"),
};

function paced(which: "read" | "write") {
  return field(`${which}_idle_timeout`, (members, key) => {
    const time = members.number(key);
    const rate = members.number(`${which}_min_rate`);
    return time === undefined ? undefined : [durationWord(time), ...(rate === undefined ? [] : [`${rate}`])];
  });
}

const firstFields = {
  keepalive_interval: duration("keepalive_interval"),
  keepalive_idle: duration("keepalive_idle"),
  keepalive_count: integer("keepalive_count"),
  max_header_size: size("max_header_bytes"),
  enable_full_duplex: flag("enable_full_duplex"),
  expected_underscore_headers: texts("expected_underscore_headers"),
  expected_dot_headers: texts("expected_dot_headers"),
};

const lastFields = {
  protocols: texts("protocols"),
  strict_sni_host: field("strict_sni_host", (members, key) =>
    members.boolean(key) === true ? [] : ["insecure_off"],
  ),
  trusted_proxies: field("trusted_proxies", (members, key) => {
    const source = members.child(key);
    return [source?.text("source") ?? "", ...rangeWords(source?.texts("ranges") ?? [])];
  }),
  trusted_proxies_strict: field("trusted_proxies_strict", (members, key) =>
    members.number(key) === 1 ? [] : undefined,
  ),
  trusted_proxies_unix: flag("trusted_proxies_unix"),
  client_ip_headers: texts("client_ip_headers"),
  trace: flag("logs.trace"),
};

function wrapperLine(wrapper: Members): Line {
  const name = wrapper.text("wrapper") ?? "";
  const lines = fieldLines(wrapper, {
    timeout: duration("timeout"),
    allow: texts("allow"),
    deny: texts("deny"),
    fallback_policy: field("fallback_policy", (members, key) => [(members.text(key) ?? "").toLowerCase()]),
  });
  wrapper.done("a listener wrapper");
  return lineWith([name], lines);
}

function optionLines(members: Members): Line[] {
  const lines: Line[] = [];
  const wrappers = members.children("listener_wrappers");
  if (wrappers !== undefined) {
    lines.push({ words: ["listener_wrappers"], block: wrappers.map(wrapperLine) });
  }
  const timeouts = fieldLines(members, timeoutFields);
  if (timeouts.length > 0) {
    lines.push({ words: ["timeouts"], block: timeouts });
  }
  lines.push(...fieldLines(members, firstFields));
  if (members.look("logs") !== undefined) {
    lines.push(...fieldLines(members, { log_credentials: flag("logs.should_log_credentials") }));
  }
  const { trace, ...rest } = lastFields;
  lines.push(...fieldLines(members, members.look("logs") === undefined ? rest : { ...rest, trace }));
  if (members.boolean("allow_0rtt") === false) {
    lines.push(line("0rtt", "off"));
  }
  return lines;
}

/** The options `servers`: one for all of them, or one each. */
export function serverOptionLines(servers: readonly ServerDraft[], expectedNames: readonly string[]): Line[] {
  const each = servers.map(({ members, listen, name }, index) => {
    const lines = optionLines(members);
    if (name !== expectedNames[index]) {
      lines.unshift(line("name", name));
    }
    return { listen, lines };
  });
  const [first] = each;
  const texts = new Set(each.map(({ lines }) => JSON.stringify(lines)));
  if (first === undefined || each.every(({ lines }) => lines.length === 0)) {
    return [];
  }
  if (texts.size === 1 && first.lines[0]?.words[0] !== "name") {
    return [{ words: ["servers"], block: first.lines }];
  }
  return each
    .filter(({ lines }) => lines.length > 0)
    .map(({ listen, lines }) => ({ words: ["servers", listen[0] ?? ""], block: lines }));
}
