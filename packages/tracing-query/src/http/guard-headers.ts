/**
 * Headers of every answer. Pages of other sites cannot show ours in a frame, where they could redirect a
 * user's clicks, and browsers do not guess a media type. `--query.additional-headers` replaces them by name.
 * Grafana panels that show the UI need `Content-Security-Policy: frame-ancestors https://grafana.example`.
 *
 * The page itself holds the policy for scripts, because only its build knows the hashes of the scripts.
 */
export const guardHeaders: ReadonlyMap<string, string> = new Map([
  ["Content-Security-Policy", "frame-ancestors 'self'"],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "same-origin"],
]);
