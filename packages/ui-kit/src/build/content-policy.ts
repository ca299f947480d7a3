import type { Plugin } from "vite";

/**
 * The policy of our pages: scripts and styles from files of their own server alone, nothing inline, nothing from
 * elsewhere. No text that a page shows can become code.
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

/** Writes the policy into the built page. The server for developers needs inline scripts, so it goes without. */
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
