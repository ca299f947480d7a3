/** Times in the life of a request at which the saboteur fails. */
export const moments = [
  "before", // the handler, before anything is read or written
  "body", // each piece of the request body
  "body-end",
  "head", // just before the response's head is sent
  "piece", // between two pieces of the response
  "filter", // a filter on the way of the response, with each piece
  "filter-end",
  "drain", // when the client takes more of a large response
  "answered", // the handler, after its answer
  "end", // the listener for the end of the exchange
  "later", // a timer, after the handler has answered and returned
  "wait", // a timer, while the handler waits for ever
] as const;

/** Ways in which it fails. */
export const ways = [
  "throw", // thrown immediately
  "reject", // a promise that nobody waits for
  "late", // a promise that no code waits for
  "emit", // an emitter without a listener, twice
  "stream", // a stream that is destroyed without a listener
] as const;

export type Moment = (typeof moments)[number];
export type Way = (typeof ways)[number];
