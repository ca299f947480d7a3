import { handlerDirective } from "serverfile/directives/directive";
import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { type Line, line } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  flag,
  onlyText,
  readFields,
  row,
  texts,
} from "serverfile/values/block-fields";
import { childOf, type Draft, listOf, setMember } from "serverfile/values/draft";

/** Reads a member of a map: its name, then its value. */
function entry(path: string): FieldReader {
  return (cursor, draft) => {
    const key = cursor.argument();
    setMember(childOf(draft, path), key, cursor.onlyArgument());
  };
}

/** Reads `secure`, `secure on` or `secure off`. Without a word, the line means `on`. */
function readSecure(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.nextArgument() ? cursor.value : "on";
  cursor.noMoreArguments();
  if (word !== "on" && word !== "off") {
    throw cursor.error(`secure must be 'on' or 'off', got '${word}'`);
  }
  draft.secure = word === "on";
}

/** Lines of the `cookie` block. They apply to the cookies of sessions and of pending logins. */
const cookieFields: FieldReaders = {
  name: onlyText("name"),
  domain: onlyText("domain"),
  same_site: onlyText("same_site"),
  secure: row("secure", readSecure, (members, key) => [members.boolean(key) === true ? "on" : "off"]),
};

/** Lines of the directive. `parameter`, `allow` and `header` may be repeated; each line adds an entry. */
const fields: FieldReaders = {
  client_id: onlyText("client_id"),
  client_secret: onlyText("client_secret"),
  client_auth: onlyText("client_auth"),
  scopes: texts("scopes"),
  parameter: entry("authorization_parameters"),
  external_url: onlyText("external_url"),
  base_path: onlyText("base_path"),
  callback_path: onlyText("callback_path"),
  logout_path: onlyText("logout_path"),
  after_logout: onlyText("after_logout"),
  session_lifetime: duration("session_lifetime", "invalid session_lifetime '%s'"),
  cookie: (cursor, draft) =>
    readFields(
      cursor,
      childOf(draft, "cookie"),
      cookieFields,
      (word) => `unrecognized cookie option '${word}'`,
    ),
  user_info: flag("user_info"),
  claims: texts("claims"),
  allow: (cursor, draft) => {
    const claim = cursor.argument();
    listOf(draft, "allow").push({ claim, values: cursor.someArguments() });
  },
  header: entry("headers"),
  pass_access_token: flag("pass_access_token"),
  trusted_roots: texts("trusted_roots_pem_files"),
};

/**
 * `oidc issuer { client_id …; client_secret …; allow claim value…; header Field claim … }`: requires users to sign in.
 * This directive is an addition to Caddy. The directive requires `client_id`, because no login works without it. Other
 * values are checked when the config is loaded. ``` oidc https://id.example.com { client_id shop client_secret
 * {env.SHOP_SECRET} allow groups staff admins header X-User email } ``` becomes ```json { "handler": "oidc", "issuer":
 * "https://id.example.com", "client_id": "shop", "client_secret": "{env.SHOP_SECRET}", "allow": [{ "claim": "groups",
 * "values": ["staff", "admins"] }], "headers": { "X-User": "email" } } ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "oidc", issuer: cursor.onlyArgument() };
  readFields(cursor, draft, fields, (word) => `unrecognized oidc subdirective '${word}'`);
  if (draft.client_id === undefined) {
    throw cursor.error("the 'client_id' subdirective is required");
  }
  return draft;
});

/** One line for each entry of a map: the line's name, the key, the value. */
function entryLines(name: string, map: Members | undefined): Line[] {
  return (map?.keys ?? []).map((key) => line(name, key, map?.text(key) ?? ""));
}

/**
 * Writes `oidc`. Maps, the cookie and the rules follow the plain lines, because they need several lines each.
 */
const toText: HandlerWriter = (handler) => {
  const issuer = handler.text("issuer") ?? "";
  const lines = fieldLines(handler, fields);
  lines.push(...entryLines("parameter", handler.child("authorization_parameters")));
  const cookie = handler.child("cookie");
  if (cookie !== undefined) {
    lines.push({ words: ["cookie"], block: fieldLines(cookie, cookieFields) });
  }
  for (const rule of handler.children("allow") ?? []) {
    lines.push(line("allow", rule.text("claim") ?? "", ...(rule.texts("values") ?? [])));
    rule.done("allow");
  }
  lines.push(...entryLines("header", handler.child("headers")));
  return { directive: "oidc", words: [issuer], block: lines };
};

export const oidcText: ModuleText = { directive, toText };
