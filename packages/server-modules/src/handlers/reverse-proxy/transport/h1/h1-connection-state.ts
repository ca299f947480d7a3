/**
 * States of a connection to an upstream.
 * | State | Begins with | Ends with |
 * |---|---|---|
 * | `idle` | connecting, or the end of a response | a call; unrequested bytes close the connection |
 * | `head` | sending a call | the head of the final response |
 * | `body` | the head of the final response | the end of the body: `idle`, or `closed` if one side does not keep the connection alive |
 * | `detached` | 101: the protocol switched | never; the socket belongs to the tunnel |
 * | `closed` | a failure, or the end of the socket | never |
 *
 * In the states `head` and `body`, a call fails together with its connection. In `head`, the call may be repeated on
 * another connection.
 */
export const states = { idle: 0, head: 1, body: 2, detached: 3, closed: 4 } as const;

/** A value of {@link states}. */
export type H1ConnectionState = (typeof states)[keyof typeof states];
