import react from "@vitejs/plugin-react";
import { contentPolicyPlugin } from "ui-kit/build/content-policy.ts";
import { defineConfig } from "vite";
import { offlineViewer } from "./build/offline-viewer.ts";
import { pageFiles } from "./build/page-files.ts";

export default defineConfig({
  // Relative addresses: the query service serves the same build under any base path.
  base: "./",
  plugins: [react(), offlineViewer(), pageFiles(), contentPolicyPlugin()],
  build: {
    assetsDir: "static",
    target: "es2022",
    reportCompressedSize: true,
    modulePreload: { polyfill: false },
    // What several pages use comes in one file: each file more is a question more before a page can be seen. What only
    // graphs and rates are drawn with is left out: the pages that most people open first have neither.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "shared", minShareCount: 2, test: /^(?!.*(src\/graph|pages\/services|rate|sparkline))/ },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:16686" } },
});
