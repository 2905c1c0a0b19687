package page

// links finds the places of the page that others lead to.
type links []studyView

// validityOf is where a study says what is INVALID, and why.
const validityOf = "-validity"

// troubled returns where the first study with a case that is INVALID or failed says so.
func (all links) troubled() string {
	for _, s := range all {
		for _, p := range s.Problems {
			if p.Kind != "flagged" {
				return s.Anchor + validityOf
			}
		}
	}
	return ""
}

// claim returns the address of a claim's row; of a claim that no study has, of the studies.
func (all links) claim(study, id string) string {
	for _, s := range all {
		if s.Name == study {
			for _, c := range s.Claims {
				if c.ID == id {
					return "#" + c.Anchor
				}
			}
			return "#" + s.Anchor
		}
	}
	return "#studies"
}

// anchor returns the name of a study's place.
func (all links) anchor(study string) string {
	for _, s := range all {
		if s.Name == study {
			return s.Anchor
		}
	}
	return "studies"
}
