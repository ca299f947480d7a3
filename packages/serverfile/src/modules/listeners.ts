import type { TokenCursor } from "../lexer/token-cursor.ts";
import { appended, duration, type FieldReaders, row } from "../values/block-fields.ts";
import type { Draft } from "../values/draft.ts";
import { type ModuleReader, noSettings } from "./module-reader.ts";

const policies = ["IGNORE", "USE", "REJECT", "REQUIRE", "SKIP"];

function fallbackPolicy(cursor: TokenCursor, draft: Draft): void {
  const policy = cursor.argument();
  if (!policies.includes(policy.toUpperCase())) {
    throw cursor.error(`${policy} is invalid policy`);
  }
  draft.fallback_policy = policy.toUpperCase();
}

/** The lines of the wrapper `proxy_protocol`. */
export const proxyProtocolFields: FieldReaders = {
  timeout: duration("timeout", "parsing proxy_protocol timeout duration"),
  allow: appended("allow"),
  deny: appended("deny"),
  fallback_policy: row("fallback_policy", fallbackPolicy, (members, key) => [
    (members.text(key) ?? "").toLowerCase(),
  ]),
};

const proxyProtocol: ModuleReader = (cursor) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = {};
  while (cursor.nextInBlock(0)) {
    const name = cursor.value;
    const reader = Object.hasOwn(proxyProtocolFields, name) ? proxyProtocolFields[name] : undefined;
    if (reader === undefined) {
      throw cursor.argumentError();
    }
    reader(cursor, draft);
  }
  return draft;
};

/** Readers of the listener wrappers, the layers between a socket and the server. */
export const listenerWrappers: Readonly<Record<string, ModuleReader>> = {
  http_redirect: noSettings,
  proxy_protocol: proxyProtocol,
  tls: noSettings,
};
