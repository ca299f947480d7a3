import "ui-kit/theme/tokens.css";
import "ui-kit/theme/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepPlaces } from "ui-kit/components/keep-places.ts";
import { applyTheme } from "ui-kit/theme/preferences.ts";
import { queries } from "./api/queries.ts";
import { startTraffic } from "./api/traffic.ts";
import { router } from "./router.tsx";

// The theme is applied first, so that the first paint has its colors. Traffic is read whichever page is shown.
applyTheme();
startTraffic();
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
