// Milliseconds that decide how the page feels.

// A pause in typing before a question is asked: shorter than between two words, longer than between two digits.
export const TYPING = 120;
// A pause in questions before the frontier is asked for, which takes several of them.
export const FRONTIER = 180;
// A pause in answers before the plan of one is asked for.
export const PLAN = 250;
// How long a short message stays: to be read once.
export const MESSAGE = 2500;
