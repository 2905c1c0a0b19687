package stat

// Method is the version of the method: of how samples are taken, ordered and excluded, and
// of how intervals are made of them. It is raised whenever one of these changes what a
// comparison can say, so that a certificate of the instrument as it was is not taken for
// one of the instrument as it is (see package certificate).
const Method = 2
