import "ui-kit/theme/tokens.css";
import "ui-kit/theme/base.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepPlaces } from "ui-kit/components/keep-places.ts";
import { applyTheme } from "ui-kit/theme/preferences.ts";
import { ApiError } from "./api/api-error.ts";
import { partialBehavior } from "./api/partial-answers.ts";
import { applyPatterns } from "./components/service-patterns.ts";
import { router } from "./router.tsx";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Asking twice helps against a service that is just starting, not against a refusal.
      retry: (failures, error) =>
        failures < 1 && error instanceof ApiError && /^API_(UNREACHABLE|FAILED)$/.test(error.code),
      retryDelay: 500,
      // A trace does not change because the user looked at another window.
      refetchOnWindowFocus: false,
      // Always ask: a query service on this machine answers while the browser is offline.
      networkMode: "always",
      // A lazily loaded part reads fields that were not tracked before.
      notifyOnChangeProps: "all",
      behavior: partialBehavior,
    },
  },
});

// Both come before the first paint, so that it has the right colours and patterns.
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
