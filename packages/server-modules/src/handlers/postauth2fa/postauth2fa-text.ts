import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { duration, fieldLines, integer, type Part, text } from "serverfile/to-text/lines/field-lines";
import { blockOf, line } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { type FieldReader, readFields } from "serverfile/values/block-fields";
import { childOf, type Draft, setMember } from "serverfile/values/draft";

/** `secret <user> <base32>`, a line for each user. */
const secretLines: FieldReader & Part = Object.assign(
  ((cursor, draft) => {
    const [user, secret] = [cursor.argument(), cursor.argument()];
    cursor.noMoreArguments();
    setMember(childOf(draft, "secrets"), user, secret);
  }) satisfies FieldReader,
  {
    path: "secrets",
    lines: (parent: Members, key: string, name: string) => {
      const secrets = parent.child(key);
      return (secrets?.keys ?? []).map((user) => line(name, user, secrets?.text(user) ?? ""));
    },
  },
);

const fields = {
  session_inactivity_timeout: duration(
    "session_inactivity_timeout",
    "invalid session_inactivity_timeout duration: '%s'",
  ),
  secrets_file_path: text("secrets_file_path"),
  secret: secretLines,
  cookie_name: text("cookie_name"),
  cookie_path: text("cookie_path"),
  cookie_domain: text("cookie_domain"),
  form_template: text("form_template"),
  sign_key: text("sign_key"),
  encryption_key: text("encryption_key"),
  totp_code_length: integer("totp_code_length", "invalid totp_code_length: must be an integer"),
  username_placeholder: text("username_placeholder"),
  ip_binding: text("ip_binding"),
};

/**
 * `postauth_2fa { … }`.
 * ```
 * postauth_2fa {
 *   secrets_file_path /etc/server/2fa.json
 *   secret ann {env.ANN_TOTP}
 *   sign_key {env.SESSION_KEY}
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "postauth2fa",
 *   "secrets_file_path": "/etc/server/2fa.json",
 *   "secrets": { "ann": "{env.ANN_TOTP}" },
 *   "sign_key": "{env.SESSION_KEY}"
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "postauth2fa" };
  readFields(cursor, draft, fields, (word) => `unknown subdirective: ${word}`);
  if (draft.totp_code_length !== undefined && draft.totp_code_length !== 6 && draft.totp_code_length !== 8) {
    throw cursor.error("invalid totp_code_length: either 6 or 8 digits are allowed");
  }
  return draft;
});

const toText: HandlerWriter = (handler) => ({
  directive: "postauth_2fa",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

export const postauth2faText: ModuleText = { directives: { postauth_2fa: directive }, toText };
