// Applies operations to the document, one after another. Written independently of the engine, for tests.

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface ModelState {
  readonly document: unknown;
  /** Earlier documents by the number of their entry in the history. */
  readonly history: ReadonlyMap<number, unknown>;
}

export interface ModelRequest {
  readonly method: string;
  /** The path as it is sent. */
  readonly path: string;
  readonly type?: string;
  readonly body?: unknown;
  readonly ifMatch?: string;
}

export interface Operation {
  readonly name: string;
  readonly request: ModelRequest;
  /** @returns the document afterwards, and the answer to a GET. @throws Refusal */
  apply(document: Json): { readonly document: Json; readonly text?: string };
}

export interface Answer {
  readonly status: number;
  /** The text that a GET found, otherwise "". */
  readonly text: string;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

function refuse(status: number): never {
  throw new Refusal(status);
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with sorted keys. */
function written(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isObject(each as Json)
      ? Object.fromEntries(Object.entries(each as object).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function copy<T>(value: T): T {
  return structuredClone(value);
}

/** The segments that lead to the object with an id. */
function pathOfId(value: Json, id: string): string[] | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  if (isObject(value) && value["@id"] === id) {
    return [];
  }
  for (const [key, child] of Object.entries(value)) {
    const below = pathOfId(child, id);
    if (below !== undefined) {
      return [key, ...below];
    }
  }
  return undefined;
}

function idsOf(value: Json): Json[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const own = isObject(value) && value["@id"] !== undefined ? [value["@id"]] : [];
  return [...own, ...Object.values(value).flatMap(idsOf)];
}

/** Segments below the document that a path leads to now. */
function resolve(document: Json, path: string): string[] {
  const [, root, ...rest] = path.replace(/\/+$/, "").split("/");
  if (root === "config") {
    return rest;
  }
  const [id = "", ...below] = rest;
  return [...(pathOfId(document, id) ?? refuse(404)), ...below];
}

function element(array: Json[], segment: string, limit = array.length - 1): number {
  return /^\d+$/.test(segment) && Number(segment) <= limit ? Number(segment) : refuse(400);
}

/** The value at a path; an absent last key is null. */
function valueAt(document: Json, segments: readonly string[]): Json {
  let current = document;
  for (const segment of segments) {
    if (Array.isArray(current)) {
      current = current[element(current, segment)] as Json;
    } else if (isObject(current)) {
      current = current[segment] ?? null;
    } else {
      refuse(400);
    }
  }
  return current;
}

type Edit = (parent: { [key: string]: Json } | Json[], key: string) => void;

/**
 * Applies `edit` at the end of a path; the whole document is the member `config` of an outer object. PUT creates the
 * objects that are missing on the way.
 */
function editAt(document: Json, { method, path }: ModelRequest, edit: Edit): Json {
  const around: { [key: string]: Json } = { config: copy(document) };
  const segments = ["config", ...resolve(document, path)];
  let parent: Json = around;
  for (const segment of segments.slice(0, -1)) {
    const child = valueAt(parent, [segment]);
    if (child === null && method === "PUT" && isObject(parent)) {
      parent[segment] = {};
    }
    parent = valueAt(parent, [segment]);
  }
  if (!isObject(parent) && !Array.isArray(parent)) {
    refuse(400);
  }
  edit(parent, segments.at(-1) ?? "");
  return around.config ?? null;
}

const put =
  (value: Json): Edit =>
  (parent, key) => {
    if (Array.isArray(parent)) {
      parent.splice(element(parent, key, parent.length), 0, copy(value));
    } else {
      parent[key] = key in parent ? refuse(409) : copy(value);
    }
  };

const post =
  (value: Json): Edit =>
  (parent, key) => {
    const target = Array.isArray(parent) ? parent : parent[key];
    if (Array.isArray(target)) {
      target.push(copy(value));
    } else {
      (parent as { [key: string]: Json })[key] = copy(value);
    }
  };

/** Replaces an existing value by the result of `make`. */
const change =
  (make: (current: Json) => Json): Edit =>
  (parent, key) => {
    if (Array.isArray(parent)) {
      const index = element(parent, key);
      parent[index] = make(parent[index] as Json);
    } else {
      parent[key] = key in parent ? make(parent[key] as Json) : refuse(404);
    }
  };

const remove: Edit = (parent, key) => {
  if (Array.isArray(parent)) {
    parent.splice(element(parent, key), 1);
  } else if (key in parent) {
    delete parent[key];
  } else {
    refuse(404);
  }
};

function merged(current: Json, patch: { [key: string]: Json }): Json {
  return { ...(isObject(current) ? current : {}), ...patch };
}

/** The JSON patch that tests the value of an object's `v`, then inserts a text before its tags. */
function tagged(v: Json, current: Json): Json {
  if (!isObject(current) || current.v !== v || !Array.isArray(current.tags)) {
    refuse(409);
  }
  return { ...current, tags: ["tagged", ...current.tags] };
}

/** For the scope of an `If-Match`. */
export interface ScopeTag {
  readonly scope: string;
  readonly etag: string;
}

function guarded(operation: Operation, { scope, etag }: ScopeTag, start: Json): Operation {
  const was = written(valueAt(start, resolve(start, scope)));
  const { request } = operation;
  return {
    name: `${operation.name} if ${scope} is as it was`,
    request: { ...request, ifMatch: etag },
    apply(document) {
      if (request.path.startsWith("/id/")) {
        resolve(document, request.path);
      }
      return written(valueAt(document, resolve(document, scope))) === was
        ? operation.apply(document)
        : refuse(412);
    },
  };
}

/** Operations of all kinds on a document with a list of objects, `apps/t/list`, whose ids are `h0` and so on. */
export function operationsOf({ document, history }: ModelState, tags: readonly ScopeTag[]): Operation[] {
  const list = "/config/apps/t/list";
  const json = "application/json";
  const mergePatch = "application/merge-patch+json";
  const jsonPatch = "application/json-patch+json";
  const send = (method: string, path: string, body?: Json, type = json): ModelRequest =>
    body === undefined ? { method, path } : { method, path, body, type };
  const edited = (name: string, request: ModelRequest, edit: Edit): Operation => ({
    name,
    request,
    apply: (before) => ({ document: editAt(before, request, edit) }),
  });
  const read = (path: string): Operation => ({
    name: `GET ${path}`,
    request: { method: "GET", path },
    apply: (before) => ({ document: before, text: `${written(valueAt(before, resolve(before, path)))}\n` }),
  });
  const fresh = (id: string): Json => ({ "@id": id, tags: [], v: 9 });
  const loaded: Json = {
    ...(document as { [key: string]: Json }),
    apps: { t: { list: [fresh("h3"), fresh("h9")] } },
  };
  const [n = 0, earlier] = [...history][0] ?? [];
  const tests = (v: Json): Json => [
    { op: "test", path: "/v", value: v },
    { op: "add", path: "/tags/0", value: "tagged" },
  ];
  const operations: Operation[] = [
    edited("PUT list/0", send("PUT", `${list}/0`, fresh("new")), put(fresh("new"))),
    edited(
      "PATCH list/3/v",
      send("PATCH", `${list}/3/v`, "path"),
      change(() => "path"),
    ),
    edited("DELETE list/1", send("DELETE", `${list}/1`), remove),
    edited("POST list", send("POST", list, fresh("last")), post(fresh("last"))),
    edited(
      "merge patch of list/3",
      send("PATCH", `${list}/3`, { v: "merged" }, mergePatch),
      change((now) => merged(now, { v: "merged" })),
    ),
    edited(
      "JSON patch of list/3",
      send("PATCH", `${list}/3`, tests(3), jsonPatch),
      change((now) => tagged(3, now)),
    ),
    edited(
      "PATCH id/v",
      send("PATCH", "/id/h3/v", "id"),
      change(() => "id"),
    ),
    edited("DELETE id", send("DELETE", "/id/h3"), remove),
    edited("PUT id/new", send("PUT", "/id/h3/new", 1), put(1)),
    edited("PUT at id", send("PUT", "/id/h3", fresh("before")), put(fresh("before"))),
    edited("POST id/tags", send("POST", "/id/h3/tags", "posted"), post("posted")),
    edited(
      "merge patch of id",
      send("PATCH", "/id/h3", { v: "merged by id" }, mergePatch),
      change((now) => merged(now, { v: "merged by id" })),
    ),
    edited(
      "JSON patch of id",
      send("PATCH", "/id/h3", tests(3), jsonPatch),
      change((now) => tagged(3, now)),
    ),
    { name: "load", request: send("POST", "/load", loaded), apply: () => ({ document: loaded }) },
    {
      name: "rollback",
      request: send("POST", `/history/${n}/rollback`, null),
      apply: () => ({ document: earlier as Json }),
    },
    { name: "DELETE config", request: send("DELETE", "/config/"), apply: () => ({ document: null }) },
    read("/id/h3"),
    read("/config/apps/t/list/3"),
  ];
  const changing = ["PATCH id/v", "DELETE list/1", "rollback", "merge patch of id"];
  const under = operations.filter(({ name }) => changing.includes(name));
  return [
    ...operations,
    ...tags.flatMap((tag, index) => {
      const operation = under[index % under.length];
      return operation === undefined ? [] : [guarded(operation, tag, document as Json)];
    }),
  ];
}

/** The answers, and the whole document as text at the end. */
export function sequentially(
  state: ModelState,
  operations: readonly Operation[],
): { readonly answers: Answer[]; readonly document: string } {
  let document = state.document as Json;
  const answers = operations.map((operation): Answer => {
    try {
      const result = operation.apply(document);
      const ids = idsOf(result.document);
      if (new Set(ids).size < ids.length) {
        refuse(400);
      }
      document = result.document;
      return { status: 200, text: result.text ?? "" };
    } catch (error) {
      if (error instanceof Refusal) {
        return { status: error.status, text: "" };
      }
      throw error;
    }
  });
  return { answers, document: `${written(document)}\n` };
}
