import type { TokenCursor } from "../lexer/token-cursor.ts";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  flag,
  onlyText,
  readFields,
  setFalse,
  texts,
} from "../values/block-fields.ts";
import { childOf, type Draft, listOf, setMember } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

/** A member of a map: its name, then its value. */
function entry(path: string): FieldReader {
  return (cursor, draft) => {
    const key = cursor.argument();
    setMember(childOf(draft, path), key, cursor.onlyArgument());
  };
}

const cookieFields: FieldReaders = {
  name: onlyText("name"),
  domain: onlyText("domain"),
  same_site: onlyText("same_site"),
  secure: (cursor: TokenCursor, draft: Draft) => {
    const word = cursor.nextArgument() ? cursor.value : "on";
    cursor.noMoreArguments();
    if (word !== "on" && word !== "off") {
      throw cursor.error(`secure must be 'on' or 'off', got '${word}'`);
    }
    if (word === "off") {
      setFalse(draft, "secure");
    } else {
      draft.secure = true;
    }
  },
};

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

/** `oidc issuer { client_id …; client_secret …; allow claim value…; header Field claim … }`: has users sign in. Our own. */
export const oidc = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "oidc", issuer: cursor.onlyArgument() };
  readFields(cursor, draft, fields, (word) => `unrecognized oidc subdirective '${word}'`);
  if (draft.client_id === undefined) {
    throw cursor.error("the 'client_id' subdirective is required");
  }
  return draft;
});
