"""Other libraries on their own ground: studies whose results are kept, and the page that is written from them."""
