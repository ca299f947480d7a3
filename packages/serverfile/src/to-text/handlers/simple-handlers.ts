import { inexpressible } from "../inexpressible.ts";
import { duration, field, fieldLines, flag, integer, size, text, texts } from "../lines/field-lines.ts";
import { type Line, line, lineWith } from "../lines/line.ts";
import { durationWord } from "../lines/value-words.ts";
import { responseMatcherLines } from "../matchers/response-matchers.ts";
import type { Members } from "../members.ts";
import type { HandlerWriter, Written } from "../routes/handler-writer.ts";
import { headerOperations } from "./headers.ts";

function block(lines: readonly Line[]): { block?: readonly Line[] } {
  return lines.length === 0 ? {} : { block: lines };
}

export const invoke: HandlerWriter = (handler) => ({
  directive: "invoke",
  words: [handler.text("name") ?? ""],
});

export const logAppend: HandlerWriter = (handler) => {
  const early = handler.boolean("early") === true ? "<" : "";
  return {
    directive: "log_append",
    words: [`${early}${handler.text("key") ?? ""}`, handler.text("value") ?? ""],
  };
};

export const metrics: HandlerWriter = (handler) => ({
  directive: "metrics",
  words: [],
  ...block(fieldLines(handler, { disable_openmetrics: flag("disable_openmetrics") })),
});

export const requestBody: HandlerWriter = (handler) => ({
  directive: "request_body",
  words: [],
  ...block(fieldLines(handler, { max_size: size("max_size"), set: text("set") })),
});

export const templates: HandlerWriter = (handler) => ({
  directive: "templates",
  words: [],
  ...block(
    fieldLines(handler, { mime: texts("mime_types"), between: texts("delimiters"), root: text("file_root") }),
  ),
});

/** A time, with the slowest rate after it. */
function paced(which: "read" | "write") {
  return field(`${which}_timeout`, (members, key) => {
    const time = members.number(key);
    const rate = members.number(`${which}_min_rate`);
    return time === undefined ? undefined : [durationWord(time), ...(rate === undefined ? [] : [`${rate}`])];
  });
}

/** A rate whose time is zero. */
function pacedAlone(which: "read" | "write") {
  return field(`${which}_min_rate`, (members, key) => {
    return ["0", `${members.number(key)}`];
  });
}

export const timeouts: HandlerWriter = (handler) => {
  const lines = [
    ...fieldLines(handler, {
      read_timeout: paced("read"),
      write_timeout: paced("write"),
      max_write_chunk: size("max_write_chunk"),
    }),
    ...fieldLines(handler, { read_timeout: pacedAlone("read"), write_timeout: pacedAlone("write") }),
  ];
  return { directive: "timeouts", words: [], ...block(lines) };
};

export const tracing: HandlerWriter = (handler) => {
  const span = handler.text("span");
  if (span === undefined) {
    throw inexpressible(handler.pathOf("span"), "the directive tracing always names its span");
  }
  const lines = span === "" ? [] : [line("span", span)];
  const attributes = handler.child("span_attributes");
  if (attributes !== undefined) {
    const keys = attributes.keys.map((key) => line(key, attributes.text(key) ?? ""));
    lines.push({ words: ["span_attributes"], block: keys });
  }
  return { directive: "tracing", words: [], ...block(lines) };
};

export const copyResponse: HandlerWriter = (handler) => {
  const status = handler.take("status_code");
  if (status === undefined) {
    return { directive: "copy_response", words: [] };
  }
  const word = String(status);
  return /^\d+$/.test(word) && Number(word) > 0
    ? { directive: "copy_response", words: [word] }
    : { directive: "copy_response", words: [], block: [line("status", word)] };
};

export const copyResponseHeaders: HandlerWriter = (handler) => ({
  directive: "copy_response_headers",
  words: [],
  ...block(fieldLines(handler, { include: texts("include"), exclude: texts("exclude") })),
});

export const authentication: HandlerWriter = (handler) => {
  const providers = handler.child("providers");
  const basic = providers?.child("http_basic");
  const hash = basic?.child("hash");
  if (basic === undefined || hash === undefined || basic.child("hash_cache") === undefined) {
    throw inexpressible(
      handler.path,
      "the directive basic_auth has the provider http_basic, with hash and hash_cache",
    );
  }
  const algorithm = hash.text("algorithm") ?? "";
  const realm = basic.text("realm");
  const lines = (basic.children("accounts") ?? []).map((account) => {
    const words = [account.text("username") ?? "", account.text("password") ?? ""];
    account.done("an account");
    return line(...words);
  });
  const words = realm === undefined ? (algorithm === "bcrypt" ? [] : [algorithm]) : [algorithm, realm];
  return { directive: "basic_auth", words, ...block(lines) };
};

export const push: HandlerWriter = (handler) => {
  const lines = (handler.children("resources") ?? []).map((resource) => {
    const method = resource.text("method");
    const words = [...(method === undefined ? [] : [method]), resource.text("target") ?? ""];
    resource.done("a resource to push");
    return line(...words);
  });
  const headers = handler.child("headers");
  if (headers !== undefined) {
    lines.push({ words: ["headers"], block: pushHeaders(headers) });
  }
  const [only] = lines;
  const isShort = lines.length === 1 && only?.words.length === 1 && only.block === undefined;
  return isShort
    ? { directive: "push", words: only.words }
    : { directive: "push", words: [], ...block(lines) };
};

function pushHeaders(headers: Members): Line[] {
  return headerOperations(headers).map((words) => line(...words));
}

function rules(policy: Members | undefined, which: "allow" | "deny"): Line[] {
  const rule = policy?.child(which);
  return rule === undefined
    ? []
    : [
        {
          words: [which],
          block: fieldLines(rule, { domains: texts("domains"), ip_ranges: texts("ip_ranges") }),
        },
      ];
}

export const acmeServer: HandlerWriter = (handler) => {
  const policy = handler.child("policy");
  const lines = [
    ...fieldLines(handler, {
      ca: text("ca"),
      lifetime: duration("lifetime"),
      resolvers: texts("resolvers"),
      challenges: texts("challenges"),
      allow_wildcard_names: flag("policy.allow_wildcard_names"),
    }),
    ...rules(policy, "allow"),
    ...rules(policy, "deny"),
    ...fieldLines(handler, { sign_with_root: flag("sign_with_root") }),
  ];
  return { directive: "acme_server", words: [], ...block(lines) };
};

export const encode: HandlerWriter = (handler): Written => {
  const prefer = handler.texts("prefer") ?? [];
  const encodings = handler.child("encodings");
  const lines = prefer.map((name) => {
    const encoder = encodings?.child(name);
    if (encoder === undefined) {
      throw inexpressible(handler.pathOf("prefer"), `${name} is not among the encodings`);
    }
    const level = encoder.take("level");
    const words = [name, ...(level === undefined ? [] : [String(level)])];
    return lineWith(words, encoder.boolean("checksum") === false ? [line("disable_checksum")] : []);
  });
  const isPlain = lines.every(({ words, block: inner }) => words.length === 1 && inner === undefined);
  const more = fieldLines(handler, { minimum_length: integer("minimum_length") });
  const match = handler.child("match");
  if (match !== undefined) {
    more.push({ words: ["match"], block: responseMatcherLines(match) });
  }
  if (isPlain && prefer.join() === "zstd,gzip") {
    return { directive: "encode", words: [], ...block(more) };
  }
  return isPlain
    ? { directive: "encode", words: prefer, ...block(more) }
    : { directive: "encode", words: [], block: [...lines, ...more] };
};
