/**
 * Matches targets without `#`, which upstreams cut off, and without non-ASCII bytes, which upstreams read differently.
 */
const validTarget = /^(?:[/a-zA-Z][!-"$-~]*|\*)$/;
/** Characters of a method. Source: RFC 9110, section 5.6.2 */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Methods whose requests declare an empty body with length 0. Source: RFC 9110, section 8.6 */
const withBody = /^(?:POST|PUT|PATCH)$/;

/** @returns the fault of a request's method or target; "" when both are valid */
export function requestLineProblem(method: string, target: string): string {
  return token.test(method) && validTarget.test(target)
    ? ""
    : `cannot be sent on: ${JSON.stringify(`${method} ${target}`.slice(0, 80))}`;
}

/** True when a request without a body must declare length 0. */
export function saysNoBody(method: string): boolean {
  return withBody.test(method);
}
