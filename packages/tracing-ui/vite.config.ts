import react from "@vitejs/plugin-react";
import { contentPolicyPlugin } from "ui-kit/build/content-policy.ts";
import { defineConfig } from "vite";
import { offlineViewer } from "./build/offline-viewer.ts";
import { pageFiles } from "./build/page-files.ts";

export default defineConfig({
  // Relative addresses: the query service serves the same build under any base path.
  base: "./",
  plugins: [react(), offlineViewer(), pageFiles(), contentPolicyPlugin()],
  // React has this hook by itself since version 18.
  resolve: {
    alias: { "use-sync-external-store/shim/with-selector": "use-sync-external-store/with-selector" },
  },
  build: {
    assetsDir: "static",
    target: "es2022",
    reportCompressedSize: true,
    modulePreload: { polyfill: false },
    // Code that several pages use is one file, because each further file is another request before a page can
    // be shown. Code that only graphs and rates need is separate: the pages that most people open first have
    // neither. Views that are saved for all are read where a list of them opens.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Sheets of the pages that most people open later, as one file: apart, they are a third larger after gzip.
            {
              name: "styles",
              test: /src\/(pages\/(changes|compare|exceptions|objectives|usage|trace\/views)|palette|components\/share)\/.*\.css$|(live-tail|help-dialog)\.css$/,
            },
            {
              name: "shared",
              minShareCount: 2,
              test: /^(?!.*(src\/graph|pages\/services|rate|sparkline|api\/views|saved-searches|pager|copy-button|api\/notes|failure-words|part-failure|use-media|format\/money))/,
            },
            // Code that several pages use, but not the search page when it opens.
            {
              name: "later",
              minShareCount: 2,
              test: /pager|copy-button|api\/notes|failure-words|part-failure|use-media|format\/money/,
            },
            // A group takes also what its modules import, unless a group before it does. Charts are no part
            // of this one: with them it would take the times of day, which every page needs.
            {
              name: "rates",
              minShareCount: 2,
              test: /api\/rates|rate-table|traces-of-rate|format-rate|sparkline|use-asked-time|services-page.css/,
            },
            { name: "views", test: /api\/views|saved-searches|components\/share\/.*\.tsx?$/ },
            { name: "no-traces", test: /pages\/search\/(first-span|nothing-found)/ },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:16686" } },
});
