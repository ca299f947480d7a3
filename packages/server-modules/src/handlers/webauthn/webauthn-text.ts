import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { duration, fieldLines, integer, text, texts } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { readFields } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

const fields = {
  rp_name: text("rp_name"),
  origins: texts("origins"),
  sign_key: text("sign_key"),
  credentials_path: text("credentials_path"),
  user_verification: text("user_verification"),
  enrollment: text("enrollment"),
  max_keys: integer("max_keys", "invalid max_keys: must be an integer"),
  path: text("path"),
  session_inactivity_timeout: duration(
    "session_inactivity_timeout",
    "invalid session_inactivity_timeout duration: '%s'",
  ),
  cookie_name: text("cookie_name"),
  cookie_path: text("cookie_path"),
  cookie_domain: text("cookie_domain"),
  username_placeholder: text("username_placeholder"),
};

/**
 * `webauthn domain { … }`.
 * ```
 * webauthn example.com {
 *   sign_key {env.SESSION_KEY}
 *   user_verification required
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "webauthn",
 *   "rp_id": "example.com",
 *   "sign_key": "{env.SESSION_KEY}",
 *   "user_verification": "required"
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "webauthn", rp_id: cursor.onlyArgument() };
  readFields(cursor, draft, fields, (word) => `unrecognized webauthn subdirective '${word}'`);
  if (draft.sign_key === undefined) {
    throw cursor.error("the 'sign_key' subdirective is required");
  }
  return draft;
});

const toText: HandlerWriter = (handler) => ({
  directive: "webauthn",
  words: [handler.text("rp_id") ?? ""],
  ...blockOf(fieldLines(handler, fields)),
});

export const webauthnText: ModuleText = { directive, toText };
