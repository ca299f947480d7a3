/** Never with what upstreams cut off (`#`) or read in different ways (bytes that are no ASCII). */
const validTarget = /^(?:[/a-zA-Z][!-"$-~]*|\*)$/;
/** Characters of a method. Source: RFC 9110, section 5.6.2 */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Methods whose requests say that they have no body. Source: RFC 9110, section 8.6 */
const withBody = /^(?:POST|PUT|PATCH)$/;

/** @returns the fault of the method or target of a request to an upstream, "" for none */
export function requestLineProblem(method: string, target: string): string {
  return token.test(method) && validTarget.test(target)
    ? ""
    : `cannot be sent on: ${JSON.stringify(`${method} ${target}`.slice(0, 80))}`;
}

/** Whether a request without a body says that its length is 0. */
export function saysNoBody(method: string): boolean {
  return withBody.test(method);
}
