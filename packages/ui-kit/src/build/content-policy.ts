import type { Plugin } from "vite";

/**
 * Content security policy of our pages. Scripts and styles come only from files of the page's own server, never
 * inline; images may also be data URLs. No text that a page shows can become code.
 */
export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
].join("; ");

/** Writes the policy into the built page. The development server needs inline scripts, so it sends no policy. */
export function contentPolicyPlugin(): Plugin {
  return {
    name: "content-policy",
    apply: "build",
    transformIndexHtml: () => [
      {
        tag: "meta",
        attrs: { "http-equiv": "Content-Security-Policy", content: contentPolicy },
        injectTo: "head-prepend",
      },
    ],
  };
}
