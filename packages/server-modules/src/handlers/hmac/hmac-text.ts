import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { onlyText, readFields, size } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

const fields = {
  verify: onlyText("verify"),
  max_size: size("max_size", "invalid max_size '%s'"),
};

/** `hmac [name] <algorithm> <secret> { … }`. Source: abiosoft/caddy-hmac; the block is our own */
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

const toText: HandlerWriter = (handler) => {
  const name = handler.text("name");
  const algorithm = handler.text("algorithm") ?? "";
  const secret = handler.text("secret") ?? "";
  const words = [...(name === undefined ? [] : [name]), algorithm, secret];
  return { directive: "hmac", words, ...blockOf(fieldLines(handler, fields)) };
};

/** How serverfiles say it. */
export const hmacText: ModuleText = { directive, toText };
