import "ui-kit/theme/tokens.css";
import "ui-kit/theme/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepPlaces } from "ui-kit/components/keep-places.ts";
import { applyTheme, themeChoice } from "ui-kit/theme/preferences.ts";
import { ApiError } from "./api/api-error.ts";
import { partialBehavior } from "./api/partial-answers.ts";
import { applyPatterns } from "./components/service-patterns.ts";
import { embedding } from "./links/embedding.ts";
import { uiConfig } from "./links/ui-config.ts";
import { router } from "./router.tsx";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // One retry helps when the service is just starting, but not after a refusal.
      retry: (failures, error) =>
        failures < 1 && error instanceof ApiError && /^API_(UNREACHABLE|FAILED)$/.test(error.code),
      retryDelay: 500,
      // No refetch on focus: a trace does not change while the user is in another window.
      refetchOnWindowFocus: false,
      // Send requests even when the browser is offline: the query service may run on this machine.
      networkMode: "always",
      // A lazily loaded part reads fields that were not tracked before.
      notifyOnChangeProps: "all",
      behavior: partialBehavior,
    },
  },
});

// The page around a frame, or a configuration without themes, overrides the theme stored in this browser.
const heldTheme = embedding.theme ?? (uiConfig.themes.enabled ? undefined : "system");
if (heldTheme !== undefined) {
  themeChoice.hold(heldTheme);
}
// Both calls run before the first paint, so that it has the right colours and patterns.
applyTheme();
applyPatterns();
keepPlaces(router.history);
const root = document.getElementById("root");
if (root === null) {
  throw new Error("the page has no element of id root");
}
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
