import { type CelInput, CelScalar, celEnv, celFunc, isCelError, parse, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import type { Exchange } from "http-engine/exchange";
import { type HttpMatcher, httpMatchers } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { readPlaceholder } from "http-engine/placeholders";
import { errorWithin, messageOf, ServerError } from "server-core/errors";
import type { ModuleContext } from "server-core/modules/module-context";
import { KnownRegexps } from "server-core/regexp/known-regexps";
import { listFunctions } from "./cel-lists.ts";
import { mathFunctions } from "./cel-math.ts";
import { bool, dyn } from "./cel-types.ts";
import { checkCondition } from "./check-types.ts";
import { expandMacros } from "./expand-macros.ts";
import { expandPlaceholders, placeholderFunction } from "./expand-placeholders.ts";
import { quote } from "./quote.ts";
import { type MatcherCall, replaceMatcherCalls } from "./replace-matcher-calls.ts";

/** Maximum number of characters of an expression. A config with a longer expression is refused. */
const maxLength = 10_000;

/** Function that replaces calls of matchers; its argument is the matcher's number. */
const matcherFunction = "matcher_of_request";

const variablePrefix = "http.vars.";
const tlsPrefix = "http.request.tls.";

/** Placeholders with integer values. */
const integers = new Set([
  "http.error.status_code",
  "http.intercept.status_code",
  "http.request.local.port",
  "http.request.remote.port",
  "http.response.status",
  "http.reverse_proxy.status_code",
]);

/** The typed value of a placeholder; null for a missing value, so that `== null` works. */
function placeholderValue(exchange: Exchange, name: string): CelInput {
  if (name.startsWith(variablePrefix)) {
    const variable = exchange.vars.get(name.slice(variablePrefix.length));
    if (variable === undefined) {
      return null;
    }
    if (typeof variable === "number" || typeof variable === "boolean") {
      return variable;
    }
  }
  if (name.startsWith(tlsPrefix) && exchange.scheme === "http") {
    return null;
  }
  const value = readPlaceholder(exchange, name);
  if (name === "http.request.duration_ms") {
    return Number(value);
  }
  if (name === "http.shutting_down") {
    return value === "true";
  }
  if (name === "http.time_until_shutdown" && value === "") {
    return null;
  }
  return integers.has(name) && value !== undefined && /^\d+$/.test(value) ? BigInt(value) : (value ?? null);
}

async function loadMatcher(call: MatcherCall, context: ModuleContext): Promise<HttpMatcher> {
  try {
    return await context.load(httpMatchers, call.name, call.config, call.name);
  } catch (error) {
    throw errorWithin(`expression: ${call.name}()`, error);
  }
}

function refused(error: unknown): ServerError {
  return new ServerError("MODULE_CONFIG", `compiling CEL program: ${messageOf(error)}`, { cause: error });
}

/** Parses a condition. @throws ServerError MODULE_CONFIG */
function parseCondition(expr: string): ReturnType<typeof parse> {
  if (expr.length > maxLength) {
    throw new ServerError("MODULE_CONFIG", `expression of ${expr.length} characters, limit ${maxLength}`);
  }
  try {
    return parse(expandPlaceholders(expr));
  } catch (error) {
    throw refused(error);
  }
}

/**
 * A compiled condition. Evaluation is synchronous, so storing one current request is enough. A matcher inside the
 * condition may evaluate the same condition for another request, so the previous request is restored afterwards.
 */
class Condition implements HttpMatcher {
  readonly #matchers: readonly HttpMatcher[];
  readonly #regexps = new KnownRegexps();
  readonly #evaluate: () => unknown;
  /** The request that is being matched; undefined outside an evaluation. */
  #current: Exchange | undefined;

  /** @param matchers the called matchers, by index. @throws ServerError MODULE_CONFIG */
  constructor(parsed: ReturnType<typeof parse>, matchers: readonly HttpMatcher[]) {
    this.#matchers = matchers;
    try {
      this.#evaluate = plan(this.#environment(), parsed);
    } catch (error) {
      throw refused(error);
    }
  }

  /** Functions of the expression, which read the current request. */
  #environment(): ReturnType<typeof celEnv> {
    const placeholder = (text: string): CelInput =>
      this.#current === undefined ? null : placeholderValue(this.#current, text);
    const matcher = (index: bigint): boolean =>
      this.#current !== undefined && this.#matchers[Number(index)]?.matches(this.#current) === true;
    const matchesText = (text: string, pattern: string): boolean => this.#regexps.compile(pattern).test(text);
    return celEnv({
      re2: this.#regexps,
      funcs: [
        ...strings,
        ...listFunctions,
        ...mathFunctions,
        celFunc("strings.quote", [CelScalar.STRING], CelScalar.STRING, quote),
        celFunc("matches", [CelScalar.STRING, CelScalar.STRING], CelScalar.BOOL, matchesText),
        celFunc(placeholderFunction, [CelScalar.STRING], CelScalar.DYN, placeholder),
        celFunc(matcherFunction, [CelScalar.INT], CelScalar.BOOL, matcher),
      ],
    });
  }

  matches(exchange: Exchange): boolean {
    const outer = this.#current;
    this.#current = exchange;
    try {
      const result = this.#evaluate();
      if (isCelError(result)) {
        throw result.cause instanceof HttpError
          ? result.cause
          : new HttpError(500, `evaluating expression: ${messageOf(result)}`);
      }
      return result === true;
    } finally {
      this.#current = outer;
    }
  }
}

/**
 * Compiles a CEL condition to a matcher. Steps: expand placeholders and macros, replace calls of matchers, check types,
 * load matchers.
 * @param name name for captures of regular expressions; "": no name
 * @throws ServerError MODULE_CONFIG for an invalid condition
 */
export async function compileExpression(
  expr: string,
  name: string,
  context: ModuleContext,
): Promise<HttpMatcher> {
  const parsed = parseCondition(expr);
  if (parsed.expr !== undefined) {
    expandMacros(parsed.expr);
  }
  const calls = replaceMatcherCalls(parsed.expr, matcherFunction, name);
  if (parsed.expr !== undefined) {
    checkCondition(parsed.expr, { [placeholderFunction]: dyn, [matcherFunction]: bool });
  }
  const matchers: HttpMatcher[] = [];
  for (const call of calls) {
    matchers.push(await loadMatcher(call, context));
  }
  return new Condition(parsed, matchers);
}
