import type { TokenCursor } from "../lexer/token-cursor.ts";
import { duration, type FieldReader } from "../values/block-fields.ts";
import { type Draft, listOf } from "../values/draft.ts";
import { type ModuleReader, noSettings } from "./module-reader.ts";

const policies = ["IGNORE", "USE", "REJECT", "REQUIRE", "SKIP"];

function append(member: string): FieldReader {
  return (cursor, draft) => {
    const words = cursor.remainingArguments();
    if (words.length > 0) {
      listOf(draft, member).push(...words);
    }
  };
}

function fallbackPolicy(cursor: TokenCursor, draft: Draft): void {
  const policy = cursor.argument();
  if (!policies.includes(policy.toUpperCase())) {
    throw cursor.error(`${policy} is invalid policy`);
  }
  draft.fallback_policy = policy.toUpperCase();
}

const proxyProtocolFields: Readonly<Record<string, FieldReader>> = {
  timeout: duration("timeout", "parsing proxy_protocol timeout duration"),
  allow: append("allow"),
  deny: append("deny"),
  fallback_policy: fallbackPolicy,
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

/** The layers between a socket and the server, in one list. */
export const listenerWrappers: Readonly<Record<string, ModuleReader>> = {
  http_redirect: noSettings,
  proxy_protocol: proxyProtocol,
  tls: noSettings,
};
