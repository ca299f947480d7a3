import "./skip-link.css";

/** First in a page, seen when it has the focus: leads past the bar to the element of id `main`. */
export function SkipLink() {
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page; a browser would load the base address
    <a
      className="skip-link"
      href="#main"
      onClick={(event) => {
        // The address of the page is what it shows: it gets no fragment.
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}
    >
      Skip to the content
    </a>
  );
}
