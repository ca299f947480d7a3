import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { type Line, line, type Word } from "serverfile/to-text/lines/line";
import { responseMatcherLines } from "serverfile/to-text/matchers/response-matchers";
import { Members } from "serverfile/to-text/members";
import type { HandlerWriter, RunWriter } from "serverfile/to-text/routes/handler-writer";

/**
 * The words of each header operation, without `deferred` and `require`.
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function headerOperations(operations: Members): Word[][] {
  const words: Word[][] = [];
  for (const [field, values] of operations.child("add")?.entries() ?? []) {
    for (const value of new Members({ values }, operations.path).texts("values") ?? []) {
      words.push([`+${field}`, value]);
    }
  }
  for (const [field, values] of operations.child("set")?.entries() ?? []) {
    const [value, more] = new Members({ values }, operations.path).texts("values") ?? [];
    if (value === undefined || more !== undefined) {
      throw inexpressible(`${operations.path}/set/${field}`, "a line sets a header field to one value");
    }
    words.push([field, value]);
  }
  for (const field of operations.texts("delete") ?? []) {
    words.push([`-${field}`]);
  }
  const replace = operations.child("replace");
  for (const field of replace?.keys ?? []) {
    for (const operation of replace?.children(field) ?? []) {
      words.push([field, operation.text("search_regexp") ?? "", operation.text("replace") ?? ""]);
      operation.done("a replacement in a header field");
    }
  }
  return words;
}

/**
 * Chooses the text form of `deferred`. A single operation that sets or replaces is written with `>`. A deletion is
 * always deferred. Any other deferred operation needs a line `defer`.
 */
function deferredLines(
  response: Members,
  operations: readonly Word[][],
): { words: Word[][]; defers: boolean } {
  const isDeferred = response.boolean("deferred") === true;
  const deletes = operations.some(([field]) => typeof field === "string" && field.startsWith("-"));
  if (deletes && !isDeferred) {
    throw inexpressible(response.pathOf("delete"), "a line that deletes a header field is deferred");
  }
  const [only, more] = operations;
  if (
    isDeferred &&
    !deletes &&
    only !== undefined &&
    more === undefined &&
    !String(only[0]).startsWith("+")
  ) {
    return { words: [[`>${String(only[0])}`, ...only.slice(1)]], defers: false };
  }
  return { words: [...operations], defers: isDeferred && !deletes };
}

/** The field of a default (`?Field`), which is set only when the response lacks the field. */
function defaultField(response: JsonValue | undefined): string | undefined {
  if (!isJsonObject(response) || !isJsonObject(response.set) || !isJsonObject(response.require)) {
    return undefined;
  }
  const [field, more] = Object.keys(response.set);
  const { headers } = response.require;
  const isAlone = Object.keys(response).sort().join() === "require,set";
  if (field === undefined || more !== undefined || !isAlone || !isJsonObject(headers)) {
    return undefined;
  }
  return Object.keys(headers).find(
    (name) => name.toLowerCase() === field.toLowerCase() && headers[name] === null,
  );
}

/** Writes a default as the words `?Field value`. */
function defaultWords(response: JsonValue | undefined, field: string, path: string): Word[] {
  const set = isJsonObject(response) && isJsonObject(response.set) ? response.set : {};
  const [values] = Object.values(set);
  const [value, more] = isJsonArray(values) ? values : [];
  if (typeof value !== "string" || more !== undefined) {
    throw inexpressible(path, "a line sets a header field to one value");
  }
  return [`?${field}`, value];
}

/** Requirements of a default, without the requirement that its field is absent. */
function furtherRequirements(response: JsonValue | undefined, field: string): JsonValue {
  if (!isJsonObject(response) || !isJsonObject(response.require)) {
    return {};
  }
  const { headers, ...rest } = response.require;
  const others = isJsonObject(headers) ? Object.entries(headers).filter(([name]) => name !== field) : [];
  return others.length === 0 ? rest : { ...rest, headers: Object.fromEntries(others) };
}

/** Serializes JSON with sorted members, so that equal conditions compare equal. */
function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_key, each) =>
    isJsonObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

/** The operations on the response; undefined when the handler is not `headers`. */
function responseOf(handler: JsonValue): JsonValue | undefined {
  return isJsonObject(handler) && handler.handler === "headers" ? handler.response : undefined;
}

/**
 * Writes a `header` with `match`, together with the defaults that follow, because `match` also applies to the defaults.
 * @returns undefined when no such defaults follow
 */
export const withDefaults: RunWriter = (routes, at) => {
  const [first] = routes.slice(at, at + 1);
  const response = first === undefined ? undefined : responseOf(first.handler);
  const required = isJsonObject(response) ? response.require : undefined;
  if (first === undefined || required === undefined || defaultField(response) !== undefined) {
    return undefined;
  }
  const defaults: Line[] = [];
  for (const route of routes.slice(at + 1)) {
    const next = responseOf(route.handler);
    const field = defaultField(next);
    const isSame = route.path === first.path && field !== undefined;
    const mayBeLost = isJsonObject(required) && sorted(required);
    if (!isSame || sorted(furtherRequirements(next, field)) !== mayBeLost) {
      break;
    }
    defaults.push(line(...defaultWords(next, field, route.handlerPath)));
  }
  if (defaults.length === 0) {
    return undefined;
  }
  const handler = new Members(first.handler, first.handlerPath);
  handler.take("handler");
  const lines = responseLines(handler.child("response"));
  handler.done("the directive header");
  return {
    written: { directive: "header", words: [], block: [...lines, ...defaults] },
    count: defaults.length + 1,
    takesMatcher: true,
  };
};

/** All lines of the block. */
function responseLines(response: Members | undefined): Line[] {
  if (response === undefined) {
    return [];
  }
  const { words, defers } = deferredLines(response, headerOperations(response));
  const lines = words.map((each) => line(...each));
  if (defers) {
    lines.push(line("defer"));
  }
  const required = response.child("require");
  if (required !== undefined) {
    const conditions = responseMatcherLines(required);
    lines.push(
      conditions.length === 0
        ? line("match")
        : conditions.length === 1
          ? line("match", ...(conditions[0]?.words ?? []))
          : { words: ["match"], block: conditions },
    );
  }
  return lines;
}

/** Writes `header` or `request_header`. */
export const headers: HandlerWriter = (handler) => {
  const request = handler.child("request");
  if (request !== undefined) {
    const [words, more] = headerOperations(request);
    if (words === undefined || more !== undefined) {
      throw inexpressible(request.path, "a line request_header does one thing");
    }
    return { directive: "request_header", words };
  }
  const response = handler.look("response");
  const field = defaultField(response);
  if (field !== undefined && sorted(furtherRequirements(response, field)) === "{}") {
    handler.take("response");
    return { directive: "header", words: defaultWords(response, field, handler.path) };
  }
  const lines = responseLines(handler.child("response"));
  const [only] = lines;
  const isShort =
    lines.length === 1 &&
    only !== undefined &&
    only.block === undefined &&
    !["defer", "match"].includes(String(only.words[0]));
  return isShort
    ? { directive: "header", words: only.words }
    : { directive: "header", words: [], block: lines };
};
