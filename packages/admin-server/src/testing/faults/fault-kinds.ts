/** Where in the life of a request the saboteur strikes. */
export const moments = [
  "before", // the handler, before anything is read or written
  "body", // each piece of the request body
  "body-end",
  "head", // just before the response's head is sent
  "piece", // between two pieces of the response
  "filter", // a filter on the way of the response, with each piece
  "filter-end",
  "drain", // when the client takes more of a large response
  "answered", // the handler, after it has answered
  "end", // told that the exchange is over
  "later", // a timer, after the handler has answered and returned
  "wait", // a timer, while the handler waits for ever
] as const;

/** How it strikes. */
export const ways = [
  "throw", // at once
  "reject", // a promise that nobody waits for
  "late", // thrown by a timer
  "emit", // an emitter without a listener, twice
  "stream", // a stream that is destroyed while nobody listens
] as const;

export type Moment = (typeof moments)[number];
export type Way = (typeof ways)[number];
