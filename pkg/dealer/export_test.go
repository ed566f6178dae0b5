package dealer

// CRMs are the named CRM profiles.
func CRMs() []CRM { return crms }
