import type { TwinBody, TwinExchange, TwinRequest } from "../twin-case.ts";

function without<Part extends object, Key extends keyof Part>(part: Part, key: Key): Omit<Part, Key> {
  const { [key]: _left, ...rest } = part;
  return rest;
}

function* smallerBodies(body: TwinBody): Generator<TwinBody> {
  if (body.trailers !== undefined) {
    yield without(body, "trailers");
  }
  if (body.text.length > 1) {
    yield { ...body, text: body.text.slice(0, body.text.length >> 1) };
  }
  if (body.framing === "chunked") {
    yield { ...without(body, "trailers"), framing: "length" };
  }
}

function* smallerTargets(target: string): Generator<string> {
  if (target === "/") {
    return;
  }
  yield "/";
  const mark = target.indexOf("?");
  if (mark > 0) {
    yield target.slice(0, mark);
  }
  const segments = target.split("/");
  for (const index of segments.keys()) {
    if (index > 0 && segments.length > 2) {
      yield segments.toSpliced(index, 1).join("/");
    }
  }
  if (target.length > 30) {
    yield target.slice(0, target.length >> 1);
  }
}

function* smallerRequests(request: TwinRequest): Generator<TwinRequest> {
  const { raw, body, fields, target, method } = request;
  if (raw !== undefined) {
    // The lines between the first line and the empty line.
    const lines = raw.split("\r\n");
    const end = lines.indexOf("");
    for (const index of lines.keys()) {
      if (index > 0 && index < end) {
        yield { ...request, raw: lines.toSpliced(index, 1).join("\r\n") };
      }
    }
    return;
  }
  if (body !== undefined) {
    yield without(request, "body");
    for (const smaller of smallerBodies(body)) {
      yield { ...request, body: smaller };
    }
  }
  for (const index of fields.keys()) {
    yield { ...request, fields: fields.toSpliced(index, 1) };
  }
  for (const smaller of smallerTargets(target)) {
    yield { ...request, target: smaller };
  }
  if (method !== "GET") {
    yield { ...request, method: "GET" };
  }
}

/** All exchanges that are slightly simpler. */
export function* smallerExchanges(exchange: TwinExchange): Generator<TwinExchange> {
  for (const key of ["upstream", "reads", "writes", "leaves", "asks"] as const) {
    if (exchange[key] !== undefined) {
      yield without(exchange, key);
    }
  }
  if (exchange.requests.length > 1) {
    for (const index of exchange.requests.keys()) {
      yield { ...exchange, requests: exchange.requests.toSpliced(index, 1) };
    }
  }
  if (exchange.via === "https" || exchange.via === "h2c") {
    yield { ...exchange, via: "http" };
  }
  if (exchange.via === "h2") {
    yield { ...exchange, via: "https" };
  }
  for (const [index, request] of exchange.requests.entries()) {
    for (const smaller of smallerRequests(request)) {
      yield { ...exchange, requests: exchange.requests.with(index, smaller) };
    }
  }
}
