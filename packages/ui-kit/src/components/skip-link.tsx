import "./skip-link.css";

/** First link in a page, visible while it has the focus. Leads past the bar to the element with id `main`. */
export function SkipLink() {
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page; a browser would load the base address
    <a
      className="skip-link"
      href="#main"
      onClick={(event) => {
        // The address describes the shown page, so the link must not add a fragment.
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}
    >
      Skip to the content
    </a>
  );
}
