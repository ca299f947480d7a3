import { parse } from "@bufbuild/cel";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { placeholderFunction } from "./expand-placeholders.ts";
import { childrenOf } from "./expression-parts.ts";
import { isMatcherFunction, type MatcherArgument, matcherConfig } from "./matcher-call.ts";

type Expr = ReturnType<typeof parse>["expr"];

/** A call of a matcher in an expression. */
export interface MatcherCall {
  readonly name: string;
  readonly config: JsonValue;
}

/**
 * A text that is known when the config is loaded: a literal, a placeholder (as `{name}`), or such texts joined by `+`.
 */
function constantText(expr: Expr): string | undefined {
  const { exprKind } = expr;
  if (exprKind.case === "constExpr") {
    const { constantKind } = exprKind.value;
    return constantKind.case === "stringValue" ? constantKind.value : undefined;
  }
  if (exprKind.case !== "callExpr" || exprKind.value.target !== undefined) {
    return undefined;
  }
  const { function: name, args } = exprKind.value;
  const texts = args.map(constantText);
  if (texts.some((text) => text === undefined)) {
    return undefined;
  }
  if (name === placeholderFunction) {
    return `{${texts[0]}}`;
  }
  return name === "_+_" ? texts.join("") : undefined;
}

/** A constant argument as JSON; undefined for an argument that depends on the request. */
function argumentOf(expr: Expr): MatcherArgument | null | undefined {
  const text = constantText(expr);
  if (text !== undefined) {
    return text;
  }
  const { exprKind } = expr;
  if (exprKind.case === "constExpr" && exprKind.value.constantKind.case === "nullValue") {
    return null;
  }
  if (exprKind.case === "listExpr") {
    const elements = exprKind.value.elements.map(constantText);
    return elements.every((each) => each !== undefined) ? elements : undefined;
  }
  if (exprKind.case !== "structExpr" || exprKind.value.messageName !== "") {
    return undefined;
  }
  const entries: [string, JsonValue][] = [];
  for (const { keyKind, value } of exprKind.value.entries) {
    const key = keyKind.case === "mapKey" ? constantText(keyKind.value) : undefined;
    const member = value === undefined ? undefined : argumentOf(value);
    if (key === undefined || member === undefined) {
      return undefined;
    }
    entries.push([key, member as JsonValue]);
  }
  return Object.fromEntries(entries);
}

/**
 * Replaces each call of a matcher by a call of one function with the matcher's number. So matchers are provisioned, and
 * their arguments are checked, when the config is loaded.
 * @param expr changed in place
 * @param matcherName default name of captures
 * @returns the matchers in the order of their numbers
 * @throws ServerError MODULE_CONFIG when the arguments of a matcher are not constant or do not fit
 */
export function replaceMatcherCalls(expr: Expr, functionName: string, matcherName: string): MatcherCall[] {
  const calls: MatcherCall[] = [];
  const visit = (each: Expr): void => {
    const { exprKind } = each;
    if (
      exprKind.case !== "callExpr" ||
      exprKind.value.target !== undefined ||
      !isMatcherFunction(exprKind.value.function)
    ) {
      for (const child of childrenOf(each)) {
        if (child !== undefined) {
          visit(child);
        }
      }
      return;
    }
    const call = exprKind.value;
    const args = call.args.map(argumentOf);
    const config = args.every((arg) => arg !== undefined && arg !== null)
      ? matcherConfig(call.function, args, matcherName)
      : undefined;
    if (config === undefined) {
      throw new ServerError(
        "MODULE_CONFIG",
        `compiling CEL program: arguments of ${call.function}() must be constant texts, lists or maps that fit it`,
      );
    }
    calls.push({ name: call.function, config });
    call.function = functionName;
    call.args = [parse(String(calls.length - 1)).expr];
  };
  visit(expr);
  return calls;
}
