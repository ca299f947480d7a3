/**
 * Headers of every answer: no page of another site may hold ours in a frame, where it could lead a user's clicks, and no answer is
 * taken for another type than it says. `--query.additional-headers` replaces them by name, as for Grafana's panels that
 * show the UI in a frame: `Content-Security-Policy: frame-ancestors https://grafana.example`.
 *
 * A policy for scripts stands in the page itself, for it is the page's build that knows them.
 */
export const guardHeaders: ReadonlyMap<string, string> = new Map([
  ["Content-Security-Policy", "frame-ancestors 'self'"],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "same-origin"],
]);
