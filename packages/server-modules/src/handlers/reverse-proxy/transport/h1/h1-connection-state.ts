/**
 * States of a connection to an upstream.
 * | State | Begins with | Ends with |
 * |---|---|---|
 * | `idle` | the socket, or the end of a response | a call; bytes that nobody asked for close the connection |
 * | `head` | a call is sent | the head of the final response |
 * | `body` | that head | the end of the body: `idle`, or `closed` where one side does not keep it alive |
 * | `detached` | 101: the protocol switched | never; the socket belongs to the tunnel |
 * | `closed` | a failure, or the end of the socket | never |
 *
 * A call is lost with its connection in the states `head` and `body`. In `head` it may go to another connection.
 */
export const states = { idle: 0, head: 1, body: 2, detached: 3, closed: 4 } as const;

/** One of the {@link states}. */
export type H1ConnectionState = (typeof states)[keyof typeof states];
