/**
 * Headers of every answer. Other sites cannot frame our pages, where they could redirect a user's clicks, and browsers
 * do not guess a media type. `--query.additional-headers` replaces headers by name. Grafana panels that show the UI
 * need `Content-Security-Policy: frame-ancestors https://grafana.example`.
 *
 * The page itself contains the policy for scripts, because only its build knows their hashes.
 */
export const guardHeaders: ReadonlyMap<string, string> = new Map([
  ["Content-Security-Policy", "frame-ancestors 'self'"],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "same-origin"],
]);
