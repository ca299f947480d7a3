import {
  blockOf,
  type Draft,
  type HandlerWriter,
  handlerDirective,
  type ModuleText,
  readLines,
  writeLines,
} from "server-module-api";

const { fieldLines } = writeLines;

const { onlyText, readFields, size } = readLines;

/** Lines of the block: the expected signature, and the limit of the body. */
const fields = {
  verify: onlyText("verify"),
  max_size: size("max_size", "invalid max_size '%s'"),
};

/**
 * `hmac [name] <algorithm> <secret> { … }`. The first of three words is the name for placeholders. With two words the
 * handler has its default name.
 * ```
 * hmac webhook sha256 {env.HOOK_SECRET} {
 *   verify {header.X-Hub-Signature}
 *   max_size 1MiB
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "hmac",
 *   "algorithm": "sha256",
 *   "secret": "{env.HOOK_SECRET}",
 *   "name": "webhook",
 *   "verify": "{http.request.header.X-Hub-Signature}",
 *   "max_size": 1048576
 * }
 * ```
 * Source: abiosoft/caddy-hmac; the block is our own
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const words = cursor.remainingArguments();
  if (words.length < 2 || words.length > 3) {
    throw cursor.error("unexpected number of arguments");
  }
  const [algorithm, secret] = words.slice(-2);
  const draft: Draft = {
    handler: "hmac",
    algorithm: algorithm ?? "",
    secret: secret ?? "",
    ...(words.length === 3 && { name: words[0] ?? "" }),
  };
  readFields(cursor, draft, fields, (word) => `unrecognized hmac subdirective '${word}'`);
  return draft;
});

/** Writes the name only if the config has one. An absent member becomes an empty word. */
const toText: HandlerWriter = (handler) => {
  const name = handler.text("name");
  const algorithm = handler.text("algorithm") ?? "";
  const secret = handler.text("secret") ?? "";
  const words = [...(name === undefined ? [] : [name]), algorithm, secret];
  return { directive: "hmac", words, ...blockOf(fieldLines(handler, fields)) };
};

/** Reads and writes the directive in serverfiles. */
export const hmacText: ModuleText = { directive, toText };
